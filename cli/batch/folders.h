/* The folders of a batch's results: --out, and what --base needs below it. */
#ifndef SWATHE_CLI_BATCH_FOLDERS_H
#define SWATHE_CLI_BATCH_FOLDERS_H

#include "batch/list.h"

/* Makes them all. 0, or the exit code after a message. */
int folders_make(const struct list *list);
/* Every folder between --out and the result is a directory, not a link to elsewhere; sets the
 * image's device. The result is then created by its path: whoever may write in --out can still put
 * a link there in between. */
int folders_check(const struct list *list, struct image *image);

#endif
