#include "words.h"

#include "../src/base/edit_distance.h"

#include <stdio.h>
#include <string.h>

void nearest_start(struct nearest *nearest, const char *wanted)
{
    nearest->wanted = wanted;
    nearest->best[0] = '\0';
    /* A third of the letters may differ. Beyond that a suggestion would not help. */
    nearest->distance = 1 + (int)(strlen(wanted) + 2) / 3;
}

void nearest_offer(struct nearest *nearest, const char *word)
{
    size_t length = strlen(nearest->wanted);
    if (length == 0 || length >= WORD_SIZE || strlen(word) >= WORD_SIZE)
        return;
    bool begun = length >= 2 && strncmp(word, nearest->wanted, length) == 0;
    int distance = begun ? 0 : edit_distance(nearest->wanted, word);
    if (distance >= nearest->distance || distance >= (int)strlen(word))
        return;
    nearest->distance = distance;
    snprintf(nearest->best, sizeof nearest->best, "%s", word);
}

void nearest_offer_words(struct nearest *nearest, const char *words)
{
    struct word word;
    for (int i = 0; words_at(words, i, &word); i++)
        nearest_offer(nearest, word.name);
}

const char *nearest_found(const struct nearest *nearest)
{
    return nearest->best[0] ? nearest->best : NULL;
}
