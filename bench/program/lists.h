/* Parses lists of values: "3,5,7", "3..31:2", "64..2048*2". */
#ifndef SWATHE_BENCH_LISTS_H
#define SWATHE_BENCH_LISTS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
