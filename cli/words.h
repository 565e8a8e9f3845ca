/* Known words: what a value may be, for checks, suggestions and completion. */
#ifndef SWATHE_CLI_WORDS_H
#define SWATHE_CLI_WORDS_H

#include "swathe/swathe.h"

#include <stdbool.h>

enum { WORD_SIZE = 64 };

struct word {
    char name[WORD_SIZE];
    const char *summary; /* may be empty */
    bool available;
};

/* Word `index` of a list such as "keep filter", where "@borders" stands for all names of a table;
 * false past the end. */
bool words_at(const char *words, int index, struct word *word);
bool words_hold(const char *words, const char *name);

/* Is the word, in whatever case, one of a list whose words stand between these separators? */
bool words_listed(const char *list, const char *separators, const char *word);

/* The entry of a library table with this name; false where there is none. */
bool words_entry(swathe_table table, const char *name, swathe_table_entry *entry);

/* The known word that is most like `wanted`, where one is like it. Offer all, then ask. */
struct nearest {
    const char *wanted;
    char best[WORD_SIZE];
    int distance;
};
void nearest_start(struct nearest *nearest, const char *wanted);
void nearest_offer(struct nearest *nearest, const char *word);
void nearest_offer_words(struct nearest *nearest, const char *words);
/* NULL: nothing is near. */
const char *nearest_found(const struct nearest *nearest);

#endif
