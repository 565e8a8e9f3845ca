#include "commands/format_options.h"

#include "commands/known_words.h"

#include <stdio.h>
#include <string.h>

bool format_find(const char *name, const char *path, swathe_table_entry *entry)
{
    const char *dot = strrchr(path, '.');
    if (name)
        return known_words_entry(SWATHE_TABLE_FORMATS, name, entry);
    for (int32_t i = 0; dot && swathe_table_get(SWATHE_TABLE_FORMATS, i, entry) == SWATHE_OK; i++)
        if (word_listed(entry->syntax, ',', dot + 1, strncasecmp))
            return true;
    return false;
}

bool format_options_useless(const struct options *options, int index, const char *path)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    const char *name = option_at(index)->name;
    if (format_find(options_text(options, OPTION_FORMAT), path, &entry) &&
        word_listed(entry.detail, ' ', name, strncasecmp))
        return false;
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++)
        if (word_listed(entry.detail, ' ', name, strncasecmp))
            return true;
    return false;
}

bool format_keeps(const swathe_table_entry *format, const char *what)
{
    return word_listed(format->keeps, ' ', what, strncasecmp);
}

struct options format_options_for(const struct options *options, const char *path)
{
    struct options left = *options;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (left.values[i] && format_options_useless(options, i, path))
            left.values[i] = NULL;
    return left;
}
