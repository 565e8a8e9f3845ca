/* The grammar of a chain: stages by ',', arguments by ':', parentheses protect. */
#ifndef SWATHE_FILTER_GRAMMAR_H
#define SWATHE_FILTER_GRAMMAR_H

#include "base/arena.h"

#include <stdbool.h>

/* A stage in pieces: name, then arguments as written, key and value apart. */
struct words {
    char *name;
    int32_t count;
    struct word {
        char *key;   /* NULL for a bare argument */
        char *value; /* outer parentheses removed */
        char *text;  /* as written */
    } * args;
};

/* Length of the next piece of `text` up to `stop` outside parentheses (or the end). */
swathe_status grammar_piece(const char *text, size_t length, char stop, size_t *piece);

/* Cuts one stage. */
swathe_status grammar_split(struct arena *arena, const char *text, size_t length,
                            struct words *words);

/* "5", "5x3" */
bool grammar_pair(const char *text, int64_t *a, int64_t *b);

#endif
