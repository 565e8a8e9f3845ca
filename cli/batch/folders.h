/* The directories of a batch: those among its inputs, those of its results, and the paths of
 * results in them. */
#ifndef SWATHE_CLI_BATCH_FOLDERS_H
#define SWATHE_CLI_BATCH_FOLDERS_H

#include "../../src/base/os_path.h"
#include "batch/list.h"
#include "commands/options.h"

/* Creates --out, and the directories that --base needs below it. 0, or the exit code after a
 * message. */
int folders_make(const struct list *list);
/* Checks that everything between --out and the result is a directory and not a symbolic link, and
 * sets the image's device. The result is then created by its path: another process with write
 * access to --out can still add a link in between. */
int folders_check(const struct list *list, struct image *image);

/* A directory that is an input of a batch. */
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

/* The path in `folder` of the result of an image that has the relative path `name`: with the file
 * name of --name and the extension of --format. The caller frees it; NULL: no memory. */
char *result_path(const struct options *options, const char *folder, const char *name);
/* The end of a path behind its last slash. */
const char *result_last_name(const char *path);

#endif
