/* A float mask as a sum of a few columns times rows, and how far that is from the mask. */
#ifndef SWATHE_PLAN_TERMS_H
#define SWATHE_PLAN_TERMS_H

#include "filter/op.h"

struct terms {
    int32_t count;
    float *columns, *rows; /* count times the mask's height; times its width */
    double mask_sum;       /* Σ|k| */
    double residual;       /* Σ|k − what the terms make|, roundings of the taps included */
    double gain;           /* Σ over the terms of Σ|column|·Σ|row|: Σ|k|, and what cancels */
    double row_sum;        /* Σ|row| of all terms */
};

/* Fills op->terms where as few terms as save work keep within `accuracy`, as plan options have it;
 * 0: the error that one sum over all taps states. Leaves it NULL elsewhere. */
swathe_status terms_find(struct arena *arena, double accuracy, struct op *op);

/* Relative to Σ|k|·max|p|, the worst of all masks. */
double terms_relative_error(const struct op *op);
/* Of the stage's result, as op->error_bound. */
double terms_error_bound(const struct op *op);

/* Multiply-adds of both passes, the most of all masks. */
int64_t terms_work(const struct op *op);

#endif
