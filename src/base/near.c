#include "base/near.h"

#include <stdio.h>
#include <string.h>

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* How many letters must be changed, added, removed or swapped with their neighbour. */
static int edits(const char *a, const char *b)
{
    int rows[3][NEAR_WORD], m = (int)strlen(a), n = (int)strlen(b);
    for (int j = 0; j <= n; j++)
        rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int changed = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = smaller(changed, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

void near_start(struct near *near, const char *word)
{
    /* A third of the letters may be wrong; beyond that a suggestion would only puzzle. */
    *near = (struct near){word, "", 1 + ((int)strlen(word) + 2) / 3};
}

void near_offer(struct near *near, const char *candidate)
{
    if (strlen(near->word) >= NEAR_WORD || strlen(candidate) >= NEAR_WORD)
        return;
    int distance = edits(near->word, candidate);
    if (distance < near->distance && distance < (int)strlen(candidate)) {
        near->distance = distance;
        snprintf(near->best, sizeof near->best, "%s", candidate);
    }
}

void near_offer_list(struct near *near, const char *list, char separator)
{
    while (*list) {
        const char *end = strchr(list, separator);
        size_t length = end ? (size_t)(end - list) : strlen(list);
        char candidate[NEAR_WORD];
        snprintf(candidate, sizeof candidate, "%.*s", (int)length, list);
        near_offer(near, candidate);
        list += length + (end != NULL);
    }
}

const char *near_found(const struct near *near)
{
    return *near->best ? near->best : NULL;
}

const char *near_hint(const struct near *near, char *buffer, size_t size)
{
    snprintf(buffer, size, *near->best ? "; did you mean '%s'?" : "%s", near->best);
    return buffer;
}
