#include "lists.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool take_number(const char **text, int64_t *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *number = strtoll(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* Adds FIRST, FIRST..LAST, FIRST..LAST:STEP or FIRST..LAST*FACTOR. */
static bool add_range(const char *text, struct numbers *numbers)
{
    int64_t first, last, step = 1;
    char how = ':';
    if (!take_number(&text, &first))
        return false;
    last = first;
    if (strncmp(text, "..", 2) == 0) {
        text += 2;
        if (!take_number(&text, &last) || last < first)
            return false;
    }
    if (*text == ':' || *text == '*') {
        how = *text++;
        if (!take_number(&text, &step) || step < (how == '*' ? 2 : 1))
            return false;
    }
    if (*text || (how == '*' && first == 0))
        return false;
    for (int64_t n = first; n <= last; n = how == '*' ? n * step : n + step) {
        if (numbers->count == LIST_MOST ||
            (how == '*' ? n > INT64_MAX / step : n > INT64_MAX - step))
            return false;
        numbers->at[numbers->count++] = n;
    }
    return true;
}

bool list_numbers(const char *text, struct numbers *numbers)
{
    struct words items;
    struct numbers got = {0};
    bool good = list_words(text, ',', &items);
    for (int i = 0; i < items.count && good; i++)
        good = add_range(items.at[i], &got);
    if (good)
        *numbers = got;
    return good;
}

bool list_words(const char *text, char separator, struct words *words)
{
    words->count = 0;
    for (;;) {
        const char *end = strchr(text, separator);
        size_t length = end ? (size_t)(end - text) : strlen(text);
        if (length == 0 || length >= LIST_WORD || words->count == LIST_MOST)
            return false;
        memcpy(words->at[words->count], text, length);
        words->at[words->count++][length] = '\0';
        if (!end)
            return true;
        text = end + 1;
    }
}

bool list_ranges(const char *text, struct words *words)
{
    struct words items;
    struct numbers numbers;
    words->count = 0;
    if (!list_words(text, ',', &items))
        return false;
    for (int i = 0; i < items.count; i++) {
        bool range = strstr(items.at[i], "..") != NULL;
        if (range && !list_numbers(items.at[i], &numbers))
            return false;
        for (int n = 0; n < (range ? numbers.count : 1); n++) {
            if (words->count == LIST_MOST)
                return false;
            if (range)
                snprintf(items.at[i], LIST_WORD, "%lld", (long long)numbers.at[n]);
            memcpy(words->at[words->count++], items.at[i], LIST_WORD);
        }
    }
    return true;
}
