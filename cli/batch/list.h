/* The images of a batch: what is read, and where the result goes. */
#ifndef SWATHE_CLI_BATCH_LIST_H
#define SWATHE_CLI_BATCH_LIST_H

#include "options.h"

#include <sys/types.h>
#include <time.h>

struct image {
    char *in, *out;
    const char *name; /* of the result below --out: the end of `out` */
    /* The input as a journal saw it when it was done. */
    int64_t size, mtime;
    int64_t result_size; /* as a journal has it; -1: one of an older version, which does not */
    dev_t device;        /* that has the result, after folders_check */
    int64_t record;      /* number of that record among those that say `done`; -1: there is none */
    bool finished;       /* nothing is left to do */
    bool replace;        /* what lies there is a result of this batch */
};

struct list {
    struct image *images;
    int64_t count, room;
    const char *folder; /* --out, without slashes at its end */
    char *folder_own;
};

/* As times of files are compared. */
static inline int64_t list_nanoseconds(const struct timespec *time)
{
    return time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
}

/* From the arguments and --from. Two images with one result are an error. 0, or the exit code
 * after a message. */
int list_make(const struct options *options, struct list *list);
/* Images in another order, to be freed; NULL: no memory. `order` gets pointers to elements, as
 * qsort hands them out. */
struct image **list_sorted(const struct list *list, int (*order)(const void *a, const void *b));
void list_free(struct list *list);

#endif
