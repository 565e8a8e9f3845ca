/* Integer masks that are a column times a row, exactly. */
#ifndef SWATHE_PLAN_FACTOR_H
#define SWATHE_PLAN_FACTOR_H

#include "filter/op.h"

/* w[y][x] = factor_down(y)·factor_across(x). The taps down have no divisor in common, so that they
 * are as small as can be; where no tap is negative, none of the factors is. */
struct factor {
    const struct op_taps *taps;
    int32_t first_x, first_y;             /* a tap that is not 0 */
    int32_t across_divisor, down_divisor; /* of that row, and of the multiples of it */
};

/* False where the mask is no such product, or all zeros. */
bool factor_find(const struct op_taps *taps, struct factor *factor);

int32_t factor_down(const struct factor *factor, int32_t y);
int32_t factor_across(const struct factor *factor, int32_t x);

#endif
