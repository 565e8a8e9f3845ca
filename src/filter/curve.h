/* Curves from samples to light, and the tables that convert samples of 8 and 16 bits to linear
 * light and back. A curve is a function from 0 … 1 to 0 … 1 that never decreases. */
#ifndef SWATHE_FILTER_CURVE_H
#define SWATHE_FILTER_CURVE_H

#include "base/memory.h"

#include <stdbool.h>

enum { CURVE_SIZE_MAX = 4095, CURVE_COUNT_MAX = 4 };

struct curve {
    int32_t size;   /* at least 2 */
    double *values; /* light of evenly spaced samples, straight lines between; NULL: sRGB's curve */
};

/* Encoding what was decoded gives the same sample, because from[i] <= decode[i] < from[i + 1]. */
struct curve_table {
    int32_t most;        /* the highest sample */
    const float *decode; /* light of each sample */
    const float *from; /* the least light that becomes a sample; −∞ for 0; +∞ after the last */
    /* Distance of `decode` and `from` from the curve, and of samples that differ by one unit of
     * light at most. */
    double error, gain;
};

/* Checks that a curve is within 0 … 1 and never decreases. */
swathe_status curve_check(const struct curve *curve);
/* The table for samples of type u8 or u16. */
swathe_status curve_table(struct arena *arena, const struct curve *curve, swathe_type type,
                          const struct curve_table **table);
/* The sample of an amount of light: the number of `from` above 0 that it reaches; 0 for NaN. */
int32_t curve_encode(const struct curve_table *table, double light);

#endif
