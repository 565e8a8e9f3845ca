/* Known words: the values of options, for checks, suggestions and completion. */
#ifndef SWATHE_CLI_COMMANDS_KNOWN_WORDS_H
#define SWATHE_CLI_COMMANDS_KNOWN_WORDS_H

#include "../../src/base/nearest_word.h"
#include "../../src/base/word_list.h"
#include "swathe/swathe.h"

#include <stdbool.h>

enum { WORD_SIZE = 64 };

struct word {
    char name[WORD_SIZE];
    const char *summary; /* may be empty */
    bool available;
};

/* Gets word `index` of a list such as "keep filter", where "@borders" stands for all names of a
 * table; false past the end. */
bool known_words_at(const char *words, int index, struct word *word);
bool known_words_hold(const char *words, const char *name);

/* Gets the entry of a library table with this name; false if there is none. */
bool known_words_entry(swathe_table table, const char *name, swathe_table_entry *entry);

/* The name of the format that has this name or file name extension; NULL: none. */
const char *known_words_format(const char *word);
/* Does it begin with the name of a filter, as chains do? */
bool known_words_filter(const char *word);

/* Offers every word of a list. */
void nearest_offer_words(struct nearest *nearest, const char *words);

#endif
