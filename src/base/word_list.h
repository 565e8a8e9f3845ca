/* Finds a word in a list such as "png,apng". Programs include this header, too. */
#ifndef SWATHE_BASE_WORD_LIST_H
#define SWATHE_BASE_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* `compare` is strncmp, or strncasecmp to ignore case. */
static inline bool word_listed(const char *list, char separator, const char *word,
                               int (*compare)(const char *a, const char *b, size_t size))
{
    const char between[] = {separator, '\0'};
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strspn(at, between)) {
        size_t item = strcspn(at, between);
        if (item == length && compare(at, word, length) == 0)
            return true;
        at += item;
    }
    return false;
}

#endif
