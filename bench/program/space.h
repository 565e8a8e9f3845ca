/* The values to measure: a list for each parameter that can vary. */
#ifndef SWATHE_BENCH_SPACE_H
#define SWATHE_BENCH_SPACE_H

#include "lists.h"

struct space {
    struct words filters, denses, sizes, types, layouts, borders, devices, strategies;
    struct numbers sizes_k, channels, blocks, threads;
    bool images; /* `sizes` are image files, which have a type and channels of their own */
};

/* Takes "KEY=VALUES" in; a list that was there before is replaced. 0, or the exit code after a
 * message. */
int space_set(struct space *space, const char *text);

/* The same for one key. */
int space_set_key(struct space *space, const char *key, const char *values);

/* Takes several in, separated by spaces, as experiment.def has them. */
int space_set_all(struct space *space, const char *text);

/* Fills empty lists with the defaults. */
void space_fill(struct space *space);

#endif
