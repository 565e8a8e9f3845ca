/* The directories of a batch's results: --out, and those that --base needs below it. */
#ifndef SWATHE_CLI_BATCH_FOLDERS_H
#define SWATHE_CLI_BATCH_FOLDERS_H

#include "batch/list.h"

/* Creates all of them. 0, or the exit code after a message. */
int folders_make(const struct list *list);
/* Checks that everything between --out and the result is a directory and not a symbolic link, and
 * sets the image's device. The result is then created by its path: another process with write
 * access to --out can still add a link in between. */
int folders_check(const struct list *list, struct image *image);

#endif
