#include "completion/complete.h"

#include "commands/known_words.h"

#include <stdio.h>
#include <string.h>

void complete_words(const char *words, const char *before)
{
    struct word word;
    for (int i = 0; known_words_at(words, i, &word); i++)
        if (word.available)
            printf("%s%s", before, word.name);
}

static void complete_values(const char *key, const char *words, const char *before)
{
    char lead[WORD_SIZE];
    snprintf(lead, sizeof lead, "%s%s=", before, key);
    complete_words(words, lead);
}

void complete_stage(const char *before)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_OPTIONS, i, &entry) == SWATHE_OK; i++) {
        if (strcmp(entry.name, "border") == 0)
            complete_values(entry.name, "@borders", before);
        else if (strcmp(entry.name, "type") == 0)
            complete_values(entry.name, "@types", before);
        else
            printf("%s%s%s", before, entry.name, strchr(entry.syntax, '=') ? "=" : "");
    }
}

/* The next argument in a filter's syntax. In "name[:SIZE][:sigma=S][:dense]" these are "sigma=" and
 * "dense", without placeholders for values. NULL past the end. */
static const char *next_own(const char *syntax, char word[WORD_SIZE])
{
    while ((syntax = strchr(syntax, ':'))) {
        syntax++;
        size_t length = strcspn(syntax, "]|[:"), key = strcspn(syntax, "=");
        size_t plain = strspn(syntax, "abcdefghijklmnopqrstuvwxyz-0123456789");
        if (length == 0 || plain != (key < length ? key : length))
            continue;
        snprintf(word, WORD_SIZE, "%.*s", (int)(key < length ? key + 1 : length), syntax);
        return syntax;
    }
    return NULL;
}

void complete_own(const char *before, const char *between, const char *after)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    char word[WORD_SIZE];
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FILTERS, i, &entry) == SWATHE_OK; i++) {
        const char *at = next_own(entry.syntax, word);
        if (!at)
            continue;
        printf("%s%s%s", before, entry.name, between);
        for (; at; at = next_own(at, word))
            printf(" %s", word);
        printf("%s", after);
    }
}

void complete_quoted(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            printf("'\\''");
        else
            printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
    }
}
