/* A mask as the user specifies it: taps as doubles, row by row. */
#ifndef SWATHE_FILTER_MASK_H
#define SWATHE_FILTER_MASK_H

#include "base/memory.h"

#include <stdbool.h>

enum {
    MASK_SIDE_MAX = 4095,
    MASK_TAPS_MAX = 1 << 22,
    MASK_TAP_TEXT = 32,       /* bytes allowed in a file per tap; "%.18e" writes 26 */
    MASK_BLANK_MAX = 1 << 24, /* further bytes allowed in a file: comments, blanks */
    MASK_DENSE_MAX = 1 << 20, /* larger separable masks are stored only as a column and a row */
    MASK_DILATE_MAX = 1 << 16
};

struct mask {
    int32_t width, height;
    int32_t anchor_x, anchor_y;
    double *k; /* NULL: separable and too large to store */
};

swathe_status mask_new(struct arena *arena, int64_t width, int64_t height, struct mask *mask);
/* Makes a mask with a copy of these taps. */
swathe_status mask_copy(struct arena *arena, int64_t width, int64_t height, const double *k,
                        struct mask *mask);

/* Parses a mask such as "0 -1 0; -1 5 -1; 0 -1 0": numbers or fractions such as 1/16, separated by
 * spaces or commas. Rows end at ';' or a new line. '#' starts a comment up to the end of the
 * line. */
swathe_status mask_parse(struct arena *arena, const char *text, struct mask *mask);
/* Reads the same format from a file. */
swathe_status mask_read(struct arena *arena, const char *path, struct mask *mask);

/* Number of stored taps. A mask without `k` stores a row and a column. */
int64_t mask_taps(const struct mask *mask);
/* The sum of the taps, added row by row in double, as the contract specifies. */
double mask_sum(const double *k, int64_t count);
/* Divides by the sum; a mask whose sum is 0 cannot be normalised. */
swathe_status mask_normalise(struct mask *mask);
/* Mirrors mask and anchor. */
void mask_flip(struct mask *mask);

#endif
