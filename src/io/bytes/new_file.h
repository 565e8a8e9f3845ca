/* Files that are written until they are complete, and temporary ones. */
#ifndef SWATHE_IO_BYTES_NEW_FILE_H
#define SWATHE_IO_BYTES_NEW_FILE_H

#include "base/cancel.h"
#include "base/memory.h"
#include "base/os_new_file.h"
#include "base/os_path.h"
#include "base/status.h"

#include <stdbool.h>

/* A file that has no name, or a temporary one, until it is complete. */

struct output_options {
    bool overwrite;
    bool unsynced;        /* do not sync: the caller syncs many files at once */
    bool nofollow;        /* a symbolic link at the path is the existing file, not its target */
    struct cancel cancel; /* checked while a pipe is blocked, and before the file appears */
};

struct new_file {
    const struct memory *memory;
    const char *shown; /* name in messages */
    const struct output_options *options;
    char *path; /* split into these two */
    const char *directory, *name;
    struct os_new_file open;
};

/* Creates it in the directory of `path`, with the permissions of the file `old` that it will
 * replace, unless NULL. The caller has set the first three fields, and the descriptors to -1. */
swathe_status new_file_open(struct new_file *file, const char *path, const struct os_about *old);
/* Syncs the file, renames it, and syncs the directory. */
swathe_status new_file_publish(struct new_file *file);
/* Deletes the file unless it was published. */
void new_file_close(struct new_file *file);
/* Fails because the file exists and may not be replaced. */
swathe_status new_file_exists(const struct new_file *file);

/* An unnamed file, for bytes that must be read twice. */

/* Creates the file in the system's directory for such files ($TMPDIR). It is deleted when the
 * descriptor is closed. */
swathe_status temporary_file_open(int *descriptor);
/* Fails because it could not be written; names its directory. */
swathe_status temporary_file_full(int error);

#endif
