#include "words.h"

#include <stdio.h>
#include <string.h>

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Edits (insert, delete, replace, swap neighbours) between two words; both below WORD_SIZE. */
static int edits(const char *a, const char *b)
{
    int rows[3][WORD_SIZE + 1];
    int width = (int)strlen(b);
    for (int j = 0; j <= width; j++)
        rows[0][j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= width; j++) {
            int change = before[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = smaller(change, smaller(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = smaller(now[j], earlier[j - 2] + 1);
        }
    }
    return rows[strlen(a) % 3][width];
}

void nearest_start(struct nearest *nearest, const char *wanted)
{
    nearest->wanted = wanted;
    nearest->best[0] = '\0';
    /* A third of the letters may be wrong; beyond that a suggestion would only puzzle. */
    nearest->distance = 1 + (int)(strlen(wanted) + 2) / 3;
}

void nearest_offer(struct nearest *nearest, const char *word)
{
    size_t length = strlen(nearest->wanted);
    if (length == 0 || length >= WORD_SIZE || strlen(word) >= WORD_SIZE)
        return;
    bool begun = length >= 2 && strncmp(word, nearest->wanted, length) == 0;
    int distance = begun ? 0 : edits(nearest->wanted, word);
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
