#include "commands/known_words.h"

#include "commands/command.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    swathe_table table;
} tables[] = {
    {"@filters", SWATHE_TABLE_FILTERS},       {"@borders", SWATHE_TABLE_BORDERS},
    {"@types", SWATHE_TABLE_TYPES},           {"@formats", SWATHE_TABLE_FORMATS},
    {"@algorithms", SWATHE_TABLE_ALGORITHMS}, {"@isas", SWATHE_TABLE_ISAS},
    {"@strategies", SWATHE_TABLE_STRATEGIES}, {"@devices", SWATHE_TABLE_BACK_ENDS},
};

static bool known_words_set(struct word *word, const char *name, const char *summary,
                            bool available)
{
    snprintf(word->name, sizeof word->name, "%s", name);
    word->summary = summary;
    word->available = available;
    return true;
}

static bool table_word(const char *name, int index, struct word *word)
{
    if (strcmp(name, "@commands") == 0) {
        const struct command *command = command_at(index);
        return command && known_words_set(word, command->name, command->summary, true);
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
        if (strcmp(tables[i].name, name) == 0 &&
            swathe_table_get(tables[i].table, index, &entry) == SWATHE_OK) {
            /* An installed completion script may have been generated on another CPU. */
            bool here = entry.available || tables[i].table == SWATHE_TABLE_ISAS;
            known_words_set(word, entry.name, entry.summary, here);
            if (tables[i].table == SWATHE_TABLE_BACK_ENDS) /* adds ":0", the first device of each */
                snprintf(word->name, sizeof word->name, "%s:0", entry.name);
            return true;
        }
    }
    return false;
}

bool known_words_at(const char *words, int index, struct word *word)
{
    while (*words) {
        char name[WORD_SIZE];
        size_t length = strcspn(words, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, words);
        for (int i = 0; name[0] == '@' && table_word(name, i, word); i++)
            if (index-- == 0)
                return true;
        if (name[0] != '@' && index-- == 0)
            return known_words_set(word, name, "", true);
        words += length + strspn(words + length, " ");
    }
    return false;
}

bool known_words_hold(const char *words, const char *name)
{
    struct word word;
    for (int i = 0; known_words_at(words, i, &word); i++)
        if (strcmp(word.name, name) == 0)
            return true;
    return false;
}

bool known_words_entry(swathe_table table, const char *name, swathe_table_entry *entry)
{
    for (int32_t i = 0; swathe_table_get(table, i, entry) == SWATHE_OK; i++)
        if (strcmp(entry->name, name) == 0)
            return true;
    return false;
}

const char *known_words_format(const char *word)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++)
        if (strcmp(entry.name, word) == 0 || word_listed(entry.syntax, ',', word, strncasecmp))
            return entry.name;
    return NULL;
}

bool known_words_filter(const char *word)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    size_t length = strcspn(word, ":,");
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FILTERS, i, &entry) == SWATHE_OK; i++)
        if (strlen(entry.name) == length && memcmp(entry.name, word, length) == 0)
            return true;
    return false;
}

void nearest_offer_words(struct nearest *nearest, const char *words)
{
    struct word word;
    for (int i = 0; known_words_at(words, i, &word); i++)
        nearest_offer(nearest, word.name);
}
