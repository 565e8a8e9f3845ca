#include "format_options.h"

#include "words.h"

#include <stdio.h>
#include <string.h>

bool format_options_useless(int index, const char *path)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    const char *dot = strrchr(path, '.');
    bool some = false;
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++) {
        bool takes = words_listed(entry.detail, " ", option_at(index)->name);
        if (takes && dot && words_listed(entry.syntax, ",", dot + 1))
            return false;
        some |= takes;
    }
    return some;
}

bool format_keeps(const swathe_table_entry *format, const char *what)
{
    return words_listed(format->keeps, " ", what);
}

struct options format_options_for(const struct options *options, const char *path)
{
    struct options left = *options;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (left.values[i] && format_options_useless(i, path))
            left.values[i] = NULL;
    return left;
}
