/* The values to measure: a list for each parameter that can vary. */
#ifndef SWATHE_BENCH_SPACE_H
#define SWATHE_BENCH_SPACE_H

#include "commands/known_words.h"
#include "lists.h"

enum { BLOCK_MOST = 32 }; /* edge of a GPU's thread block */

struct space {
    struct words filters, denses, sizes, types, layouts, borders, devices, strategies;
    struct numbers sizes_k, channels, blocks, threads;
    bool images; /* `sizes` are image files, which have a type and channels of their own */
};

/* Sets the list of a key, as in "KEY=VALUES". 0, or the exit code after a message. */
int space_set(struct space *space, const char *text);
int space_set_key(struct space *space, const char *key, const char *values);

/* Sets several, separated by spaces, as in experiment.def. */
int space_set_all(struct space *space, const char *text);

/* Fills empty lists with the defaults. */
void space_fill(struct space *space);

/* Prints that a name is unknown, and the nearest known one or the command that lists them. Returns
 * the exit code. */
int complain_unknown(const char *what, const struct nearest *nearest, const char *command);

/* Prints every key with its summary. */
void space_print_keys(void);

#endif
