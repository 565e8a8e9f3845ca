/* The values to measure: a list for each parameter that can vary. */
#ifndef SWATHE_BENCH_SPACE_H
#define SWATHE_BENCH_SPACE_H

#include "commands/known_words.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Lists of values: "3,5,7", "3..31:2", "64..2048*2" --------------------------------------- */

enum { LIST_MOST = 64, LIST_WORD = 512 };

struct numbers {
    int count;
    int64_t at[LIST_MOST];
};

struct words {
    int count;
    char at[LIST_MOST][LIST_WORD];
};

/* Numbers, FIRST..LAST in steps of 1, FIRST..LAST:STEP, FIRST..LAST*FACTOR, separated by commas.
 * False if it is not such a list, or has more than LIST_MOST values. */
bool list_numbers(const char *text, struct numbers *numbers);

/* Words separated by `separator`; false if one is empty or too long, or there are too many. */
bool list_words(const char *text, char separator, struct words *words);

/* Words separated by commas; ranges of numbers are expanded. */
bool list_ranges(const char *text, struct words *words);

/* ---- Parameters ------------------------------------------------------------------------------ */

enum { BLOCK_MOST = 32 }; /* edge of a GPU's thread block */

struct space {
    struct words filters, denses, sizes, types, layouts, borders, arithmetics, helds, devices,
        strategies;
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
