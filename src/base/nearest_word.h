/* Finds the known word that is most similar to a misspelt one. A separate header, so that the
 * programs can use it too. */
#ifndef SWATHE_BASE_NEAREST_WORD_H
#define SWATHE_BASE_NEAREST_WORD_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { EDIT_WORD = 64 };

/* Number of characters to insert, delete, replace or swap with their neighbour (optimal string
 * alignment). Returns EDIT_WORD if a word has EDIT_WORD characters or more. */
static inline int edit_distance(const char *a, const char *b)
{
    if (strlen(a) >= EDIT_WORD || strlen(b) >= EDIT_WORD)
        return EDIT_WORD;
    int rows[3][EDIT_WORD], m = (int)strlen(a), n = (int)strlen(b);
    for (int j = 0; j <= n; j++)
        rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            int moved = 1 + (above[j] < row[j - 1] ? above[j] : row[j - 1]);
            row[j] = replaced < moved ? replaced : moved;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
    }
    return rows[m % 3][n];
}

/* Start with the wanted word, offer all known words, then get the result. */
struct nearest {
    const char *wanted;
    char best[EDIT_WORD];
    int distance;
};

static inline void nearest_start(struct nearest *nearest, const char *wanted)
{
    nearest->wanted = wanted;
    nearest->best[0] = '\0';
    /* A third of the letters may differ. Beyond that a suggestion would not help. */
    nearest->distance = 1 + (int)(strlen(wanted) + 2) / 3;
}

static inline void nearest_offer(struct nearest *nearest, const char *word)
{
    size_t length = strlen(nearest->wanted);
    if (length == 0 || length >= EDIT_WORD || strlen(word) >= EDIT_WORD)
        return;
    bool begun = length >= 2 && strncmp(word, nearest->wanted, length) == 0;
    int distance = begun ? 0 : edit_distance(nearest->wanted, word);
    if (distance >= nearest->distance || distance >= (int)strlen(word))
        return;
    nearest->distance = distance;
    snprintf(nearest->best, sizeof nearest->best, "%s", word);
}

/* Offers every word of a list. */
static inline void nearest_offer_list(struct nearest *nearest, const char *list, char separator)
{
    while (*list) {
        const char *end = strchr(list, separator);
        size_t length = end ? (size_t)(end - list) : strlen(list);
        char word[EDIT_WORD];
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        nearest_offer(nearest, word);
        list += length + (end != NULL);
    }
}

/* NULL: no word is similar. */
static inline const char *nearest_found(const struct nearest *nearest)
{
    return nearest->best[0] ? nearest->best : NULL;
}

/* "; did you mean 'sharpen'?" with `before` in front of the word, or an empty text. */
static inline const char *nearest_hint(const struct nearest *nearest, const char *before,
                                       char *text, size_t size)
{
    text[0] = '\0';
    if (nearest_found(nearest))
        snprintf(text, size, "; did you mean '%s%s'?", before, nearest->best);
    return text;
}

#endif
