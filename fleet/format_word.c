#include "format_word.h"

#include "swathe/swathe.h"

#include <string.h>

bool format_listed(const char *list, char separator, const char *word)
{
    const char between[2] = {separator, '\0'};
    size_t length = strlen(word);
    while (*list) {
        size_t item = strcspn(list, between);
        if (item == length && strncmp(list, word, length) == 0)
            return true;
        list += item + (list[item] == separator);
    }
    return false;
}

const char *format_word(const char *word)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++)
        if (strcmp(entry.name, word) == 0 || format_listed(entry.syntax, ',', word))
            return entry.name;
    return NULL;
}
