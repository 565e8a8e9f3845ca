#include "base/suggest.h"

#include "base/nearest_word.h"

#include <stdio.h>
#include <string.h>

void suggest_start(struct suggestion *suggestion, const char *word)
{
    /* Up to a third of the letters may be wrong; a suggestion that differs more would not help. */
    *suggestion = (struct suggestion){word, "", 1 + ((int)strlen(word) + 2) / 3};
}

void suggest_offer(struct suggestion *suggestion, const char *candidate)
{
    if (strlen(suggestion->word) >= SUGGEST_WORD || strlen(candidate) >= SUGGEST_WORD)
        return;
    int distance = edit_distance(suggestion->word, candidate);
    if (distance < suggestion->distance && distance < (int)strlen(candidate)) {
        suggestion->distance = distance;
        snprintf(suggestion->best, sizeof suggestion->best, "%s", candidate);
    }
}

void suggest_offer_list(struct suggestion *suggestion, const char *list, char separator)
{
    while (*list) {
        const char *end = strchr(list, separator);
        size_t length = end ? (size_t)(end - list) : strlen(list);
        char candidate[SUGGEST_WORD];
        snprintf(candidate, sizeof candidate, "%.*s", (int)length, list);
        suggest_offer(suggestion, candidate);
        list += length + (end != NULL);
    }
}

const char *suggest_found(const struct suggestion *suggestion)
{
    return *suggestion->best ? suggestion->best : NULL;
}

const char *suggest_hint(const struct suggestion *suggestion, char *buffer, size_t size)
{
    snprintf(buffer, size, *suggestion->best ? "; did you mean '%s'?" : "%s", suggestion->best);
    return buffer;
}
