/* The images in a directory that is an input of a batch. */
#ifndef SWATHE_CLI_BATCH_INPUT_FOLDER_H
#define SWATHE_CLI_BATCH_INPUT_FOLDER_H

#include "../../src/base/os_path.h"

struct input_folder {
    bool recursive;
    const struct os_about *out;               /* a directory that is not entered; NULL: none */
    int (*add)(void *user, const char *path); /* an image; 0, or the exit code after a message */
    void *user;
    int64_t files, folders; /* files that are no images by their names, directories not entered */
};

/* Calls `add` for each image, in the order of the names. An empty `path` is the current directory.
 * Names that start with a dot are left out. Links to files are followed, links to directories below
 * `path` are not, because they may form circles. 0, or the exit code after a message. */
int input_folder_read(struct input_folder *folder, const char *path);

#endif
