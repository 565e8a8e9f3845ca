#include "space.h"

#include "machine.h"
#include "terminal/message.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists ----------------------------------------------------------------------------------- */

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
static bool bench_space_add_range(const char *text, struct numbers *numbers)
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
        good = bench_space_add_range(items.at[i], &got);
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

/* ---- Parameters ------------------------------------------------------------------------------ */

enum list_kind { LIST_words, LIST_ranges, LIST_numbers };

static const struct key {
    const char *name;
    size_t offset;
    enum list_kind kind;
    char separator;
    int64_t least, most;
    const char *fallback, *example, *summary;
} keys[] = {
#define SPACE_KEY(name, field, kind, ...)                                                          \
    {name, offsetof(struct space, field), LIST_##kind, __VA_ARGS__},
#include "space.def"
#undef SPACE_KEY
};
enum { KEYS = sizeof keys / sizeof *keys };

int complain_unknown(const char *what, const struct nearest *nearest, const char *command)
{
    const char *found = nearest_found(nearest);
    return complain(SWATHE_ERROR_ARGUMENT,
                    found ? "unknown %s '%s'; did you mean %s?"
                          : "unknown %s '%s'; `%s` lists them",
                    what, nearest->wanted, found ? found : command);
}

static int bench_space_unknown_key(const char *name)
{
    struct nearest nearest;
    nearest_start(&nearest, name);
    for (int i = 0; i < KEYS; i++)
        nearest_offer(&nearest, keys[i].name);
    return complain_unknown("key of --scan", &nearest, "swathe bench --list");
}

static int bench_space_check_range(const struct key *key, const struct numbers *numbers)
{
    for (int i = 0; i < numbers->count; i++)
        if (numbers->at[i] < key->least || numbers->at[i] > key->most)
            return complain(SWATHE_ERROR_ARGUMENT, "%s=%lld is not in the range %lld to %lld",
                            key->name, (long long)numbers->at[i], (long long)key->least,
                            (long long)key->most);
    return 0;
}

static int set_list(struct space *space, const struct key *key, const char *values)
{
    void *list = (char *)space + key->offset;
    bool good = key->kind == LIST_numbers  ? list_numbers(values, list)
                : key->kind == LIST_ranges ? list_ranges(values, list)
                                           : list_words(values, key->separator, list);
    if (!good)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "'%s' is not a list of values for %s: write it as in %s, with at most %d "
                        "values",
                        values, key->name, key->example, LIST_MOST);
    return key->kind == LIST_numbers ? bench_space_check_range(key, list) : 0;
}

int space_set_key(struct space *space, const char *name, const char *values)
{
    for (int i = 0; i < KEYS; i++)
        if (strcmp(keys[i].name, name) == 0)
            return set_list(space, &keys[i], values);
    return bench_space_unknown_key(name);
}

int space_set(struct space *space, const char *text)
{
    char name[32];
    size_t length = strcspn(text, "=");
    if (text[length] == '\0' || length >= sizeof name)
        return complain(SWATHE_ERROR_ARGUMENT, "--scan: '%s' is not KEY=VALUES, as in k=3..31:2",
                        text);
    memcpy(name, text, length);
    name[length] = '\0';
    return space_set_key(space, name, text + length + 1);
}

int space_set_all(struct space *space, const char *text)
{
    struct words items;
    int code = list_words(text, ' ', &items) ? 0 : SWATHE_ERROR_INTERNAL;
    for (int i = 0; i < items.count && code == 0; i++)
        code = space_set(space, items.at[i]);
    return code;
}

/* `count` is the first member of both kinds of lists. */
void space_fill(struct space *space)
{
    char threads[32], affinity[64];
    int32_t cpus = machine_affinity(affinity, sizeof affinity);
    snprintf(threads, sizeof threads, cpus > 1 ? "1,%d" : "1", cpus);
    if (space->threads.count == 0)
        list_numbers(threads, &space->threads);
    for (int i = 0; i < KEYS; i++) {
        const int *count = (void *)((char *)space + keys[i].offset);
        if (*count == 0 && *keys[i].fallback)
            set_list(space, &keys[i], keys[i].fallback);
    }
}

void space_print_keys(void)
{
    for (int i = 0; i < KEYS; i++)
        printf("  %-22s%s\n", keys[i].name, keys[i].summary);
}
