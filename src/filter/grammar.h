/* The grammar of a chain: ',' separates stages, ':' separates arguments, except inside
 * parentheses. */
#ifndef SWATHE_FILTER_GRAMMAR_H
#define SWATHE_FILTER_GRAMMAR_H

#include "base/memory.h"

#include <stdbool.h>

/* A stage split into its name and its arguments, with keys and values separated. */
struct words {
    char *name;
    int32_t count;
    struct word {
        char *key;   /* NULL: an argument without a key */
        char *value; /* outer parentheses removed */
        char *text;  /* as written */
    } * args;
};

/* Finds the length of the next piece of `text`, which ends at the first `stop` outside parentheses,
 * or at the end. */
swathe_status grammar_piece(const char *text, size_t length, char stop, size_t *piece);

/* Splits the text of one stage. */
swathe_status grammar_split(struct arena *arena, const char *text, size_t length,
                            struct words *words);

/* Parses "5" or "5x3". */
bool grammar_pair(const char *text, int64_t *a, int64_t *b);

#endif
