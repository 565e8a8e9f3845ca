#include "space.h"

#include "machine.h"

#include "message.h"
#include "words.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum list_kind { LIST_words, LIST_ranges, LIST_numbers };

struct key {
    const char *name, *value, *summary;
    char separator;
    enum list_kind kind;
    size_t offset;
};

static const struct key keys[] = {
#define SPACE_KEY(name, field, kind, separator, value, summary)                                    \
    {name, value, summary, separator, LIST_##kind, offsetof(struct space, field)},
#include "space.def"
#undef SPACE_KEY
};

static int unknown_key(const char *name)
{
    struct nearest nearest;
    nearest_start(&nearest, name);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        nearest_offer(&nearest, keys[i].name);
    if (nearest_found(&nearest))
        return complain(SWATHE_ERROR_ARGUMENT, "--scan: unknown key '%s'; did you mean %s?", name,
                        nearest_found(&nearest));
    return complain(SWATHE_ERROR_ARGUMENT,
                    "--scan: unknown key '%s'; they are filter, dense, k, size, channels, type, "
                    "layout, border, device, strategy, block and threads",
                    name);
}

int space_set_key(struct space *space, const char *name, const char *values)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].name, name) != 0)
            continue;
        void *list = (char *)space + keys[i].offset;
        bool good = keys[i].kind == LIST_numbers  ? list_numbers(values, list)
                    : keys[i].kind == LIST_ranges ? list_ranges(values, list)
                                                  : list_words(values, keys[i].separator, list);
        return good ? 0
                    : complain(
                          SWATHE_ERROR_ARGUMENT,
                          "'%s' is not a list of values for %s: write it as in %s, with at most "
                          "%d values",
                          values, name, keys[i].value, LIST_MOST);
    }
    return unknown_key(name);
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

static void words_default(struct words *words, const char *text)
{
    if (words->count == 0)
        list_words(text, ',', words);
}

static void numbers_default(struct numbers *numbers, const char *text)
{
    if (numbers->count == 0)
        list_numbers(text, numbers);
}

void space_fill(struct space *space)
{
    char threads[32];
    char list[64];
    int32_t cpus = machine_affinity(list, sizeof list);
    snprintf(threads, sizeof threads, cpus > 1 ? "1,%d" : "1", cpus);
    words_default(&space->sizes, "1000x1000");
    words_default(&space->types, "u8");
    words_default(&space->layouts, "interleaved");
    words_default(&space->borders, "reflect");
    words_default(&space->devices, "cpu");
    words_default(&space->strategies, "best");
    numbers_default(&space->sizes_k, "0");
    numbers_default(&space->channels, "3");
    numbers_default(&space->blocks, "0");
    numbers_default(&space->threads, threads);
}
