/* A file that has no name, or a temporary one, until it is complete. */
#ifndef SWATHE_IO_NEW_FILE_H
#define SWATHE_IO_NEW_FILE_H

#include "base/memory.h"
#include "base/status.h"
#include "io/cancel.h"

#include <stdbool.h>
#include <sys/stat.h>

struct output_options {
    bool overwrite;
    bool unsynced;        /* leave the syncs to somebody who does them for many files at once */
    bool nofollow;        /* a symbolic link at the path is the existing file, not its target */
    struct cancel cancel; /* asked while nobody reads a pipe, and before the file appears */
};

enum { NEW_FILE_NAME = 16 };

struct new_file {
    const struct memory *memory;
    const char *shown; /* in messages */
    const struct output_options *options;
    char *folder;                  /* of the file that is written */
    const char *name;              /* within the folder */
    int fd, folder_fd;             /* -1: not open */
    char temporary[NEW_FILE_NAME]; /* its name until it is published; empty: it has none */
};

/* In the folder of `path`, with the permissions of the file that it will replace, unless NULL. The
 * first three fields are set, the descriptors -1. */
swathe_status new_file_open(struct new_file *file, const char *path, const struct stat *old);
/* fsync, name, fsync of the folder. */
swathe_status new_file_publish(struct new_file *file);
/* Without new_file_publish the file is gone. */
void new_file_close(struct new_file *file);
/* The failure of one that would replace a file, and may not. */
swathe_status new_file_exists(const struct new_file *file);

#endif
