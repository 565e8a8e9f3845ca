/* Border extension, one coordinate at a time. */
#ifndef SWATHE_BENCH_BASELINE_PLACE_H
#define SWATHE_BENCH_BASELINE_PLACE_H

#include "baseline.h"

enum { OUTSIDE = -1 }; /* the sample is zero */

/* Reflects more than once if the mask is wider than the image. */
static int64_t mapped(enum baseline_border border, int64_t i, int64_t n)
{
    if (border == BASELINE_ZERO)
        return OUTSIDE;
    if (border == BASELINE_REPLICATE)
        return i < 0 ? 0 : n - 1;
    while (i < 0 || i >= n)
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

/* The index, among n samples, of the one used at coordinate i. */
static inline int64_t place(enum baseline_border border, int64_t i, int64_t n)
{
    return i >= 0 && i < n ? i : mapped(border, i, n);
}

#endif
