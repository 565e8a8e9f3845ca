/* Integer masks that are exactly the product of a column and a row. */
#ifndef SWATHE_ALGORITHM_FACTOR_H
#define SWATHE_ALGORITHM_FACTOR_H

#include "filter/op.h"

/* w[y][x] = factor_down(y)·factor_across(x). The vertical taps have no common divisor, so they are
 * as small as possible. If no tap is negative, no factor is. */
struct factor {
    const struct op_taps *taps;
    int32_t first_x, first_y;             /* position of a non-zero tap */
    int32_t across_divisor, down_divisor; /* of that row, and of its multiples */
};

/* False if the mask is not such a product, or is all zeros. */
bool factor_find(const struct op_taps *taps, struct factor *factor);

int32_t factor_down(const struct factor *factor, int32_t y);
int32_t factor_across(const struct factor *factor, int32_t x);

#endif
