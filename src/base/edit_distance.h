/* The distance of a misspelt word from a known one. A separate header, so that the command can use
 * it too. */
#ifndef SWATHE_BASE_EDIT_DISTANCE_H
#define SWATHE_BASE_EDIT_DISTANCE_H

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

#endif
