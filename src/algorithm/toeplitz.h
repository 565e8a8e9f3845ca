/* Dense integer masks on matrix units, as described in cpu/tiles.h. */
#ifndef SWATHE_ALGORITHM_TOEPLITZ_H
#define SWATHE_ALGORITHM_TOEPLITZ_H

#include "algorithm/algorithm.h"
#include "cpu/tiles.h"

/* Properties that the masks of an op share. */
struct toeplitz_shape {
    int32_t halves, pieces;
    int32_t top, left;     /* of the bounding box of all non-zero taps */
    int32_t height, width; /* of the bounding box */
    int32_t row_lines;     /* lines per row */
    int64_t lines;         /* lines per patch */
    int32_t group;         /* rows that a task computes */
};

struct toeplitz {
    const struct tiles_calls *tiles;
    struct toeplitz_shape shape;
    struct tiles_mask *masks;
    /* For rows of one plane, and of interleaved pixels. */
    struct tiles_shuffle split[2], join[2];
};

/* False if sums could exceed 32 bits, or if a task would need too many lines. */
bool toeplitz_measure(const struct op *op, struct toeplitz_shape *shape);
swathe_status toeplitz_mask(struct arena *arena, const struct op *op, const struct op_taps *taps,
                            const struct toeplitz_shape *shape, struct tiles_mask *mask);

#endif
