/* A file that has no name, or a temporary one, until it is complete. Functions that can fail return
 * -1 and set errno. */
#ifndef SWATHE_BASE_OS_NEW_FILE_H
#define SWATHE_BASE_OS_NEW_FILE_H

#include <stdbool.h>

enum { OS_NEW_NAME = 16 };

struct os_new_file {
    int fd, directory_fd;        /* -1: not open */
    char temporary[OS_NEW_NAME]; /* name until it is published; empty: none */
    bool counted;                /* by os_new_files_named */
};

/* Opens the directory. The caller has set both descriptors to -1. */
int os_new_file_place(struct os_new_file *file, const char *directory);
/* Creates the file there. */
int os_new_file_create(struct os_new_file *file, const char *directory);
/* Sets its permissions to those of another file. Systems may refuse this to some users (EPERM). */
int os_new_file_permit(struct os_new_file *file, unsigned permissions);
/* Gives it its name at once. Without `replace`, EEXIST if the name exists. */
int os_new_file_publish(struct os_new_file *file, const char *directory, const char *name,
                        bool replace);
/* Syncs the name. */
int os_new_file_sync_name(const struct os_new_file *file);
/* Files of this process that have a temporary name or are being published: something would be left
 * if it ended now. Safe in a signal handler. */
int os_new_files_named(void);
/* Deletes the file unless it was published. */
void os_new_file_close(struct os_new_file *file, const char *directory);

#endif
