/* Dense integer masks on matrix units (cpu/tiles.h says how). */
#ifndef SWATHE_PLAN_TOEPLITZ_H
#define SWATHE_PLAN_TOEPLITZ_H

#include "cpu/tiles.h"
#include "plan/algorithm.h"

/* What the masks of an op have in common. */
struct toeplitz_shape {
    int32_t halves, pieces;
    int32_t top, left;     /* of the box of all non-zero taps, in the mask's reach */
    int32_t height, width; /* of the box */
    int32_t row_lines;     /* lines of a row */
    int64_t lines;         /* of a patch */
    int32_t group;         /* rows that a job makes */
};

struct toeplitz {
    const struct tiles_calls *tiles;
    struct toeplitz_shape shape;
    struct tiles_mask *masks;
    /* For rows of one plane, and of interleaved pixels. */
    struct tiles_weave split[2], join[2];
};

/* False where sums could pass 32 bits, or the mask is out of proportion. */
bool toeplitz_measure(const struct op *op, struct toeplitz_shape *shape);
swathe_status toeplitz_mask(struct arena *arena, const struct op *op, const struct op_taps *taps,
                            const struct toeplitz_shape *shape, struct tiles_mask *mask);

#endif
