#include "near_word.h"

#include "../src/base/edit_distance.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void near_word_start(struct near_word *near, const char *wanted)
{
    near->wanted = wanted;
    near->best[0] = '\0';
    /* A third of the letters may differ. Beyond that a suggestion would not help. */
    near->distance = 1 + (int)(strlen(wanted) + 2) / 3;
}

void near_word_offer(struct near_word *near, const char *word)
{
    size_t length = strlen(near->wanted);
    if (length == 0 || length >= NEAR_WORD_BYTES || strlen(word) >= NEAR_WORD_BYTES)
        return;
    bool begun = length >= 2 && strncmp(word, near->wanted, length) == 0;
    int distance = begun ? 0 : edit_distance(near->wanted, word);
    if (distance >= near->distance || distance >= (int)strlen(word))
        return;
    near->distance = distance;
    snprintf(near->best, sizeof near->best, "%s", word);
}

const char *near_word_advice(const struct near_word *near, const char *before, char *text, int size)
{
    text[0] = '\0';
    if (near->best[0])
        snprintf(text, (size_t)size, "; did you mean %s%s?", before, near->best);
    return text;
}
