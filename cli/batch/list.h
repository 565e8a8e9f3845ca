/* The images of a batch: paths of inputs and results. */
#ifndef SWATHE_CLI_BATCH_LIST_H
#define SWATHE_CLI_BATCH_LIST_H

#include "commands/options.h"

#include <stdint.h>

struct image {
    char *in, *out;
    const char *name; /* path of the result below --out: the end of `out` */
    /* The input as the journal recorded it when it was filtered. */
    int64_t size, mtime;
    int64_t result_size; /* from the journal; -1: written by an older version, which does not record
                            it */
    uint64_t device;     /* of the result, set by folders_check */
    int64_t record;      /* index of its record among the `done` records; -1: none */
    bool finished;       /* nothing is left to do */
    bool replace;        /* the existing file is a result of this batch */
};

struct list {
    struct image *images;
    int64_t count, room;
    const char *folder; /* --out, without slashes at its end */
    char *folder_own;
    int64_t other_files, other_folders; /* in directories among the inputs, and skipped */
};

/* Reads the arguments, directories among them, and --from. Two images with the same result path are
 * an error. 0, or the exit code after a message. */
int list_make(const struct options *options, struct list *list);
/* Pointers to the images, sorted by `order`, which qsort calls; the caller frees them. NULL: no
 * memory. */
struct image **list_sorted(const struct list *list, int (*order)(const void *a, const void *b));
void list_free(struct list *list);

#endif
