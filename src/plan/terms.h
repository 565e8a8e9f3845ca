/* A float mask as a sum of a few columns times rows, and how far that is from the mask. */
#ifndef SWATHE_PLAN_TERMS_H
#define SWATHE_PLAN_TERMS_H

#include "plan/algorithm.h"

struct terms {
    int32_t count;
    float *columns, *rows; /* count times the mask's height; times its width */
    double mask_sum;       /* Σ|k| */
    double residual;       /* Σ|k − what the terms make|, roundings of the taps included */
    double gain;           /* Σ over the terms of Σ|column|·Σ|row|: Σ|k|, and what cancels */
    double row_sum;        /* Σ|row| of all terms */
};

/* The terms of each mask of an op, where as few as save work keep within `accuracy`, as plan
 * options have it; 0: the error that one sum over all taps states. NULL elsewhere. */
swathe_status terms_find(struct arena *arena, const struct op *op, double accuracy,
                         const void **terms);

/* With an analysis by terms_find. Relative to Σ|k|·max|p|, the worst of all masks. */
double terms_relative_error(const struct algorithm_case *at);
/* Of the stage's result, as op->error_bound. */
double terms_error_bound(const struct algorithm_case *at);

/* Multiply-adds of both passes, the most of all masks. */
int64_t terms_work(const struct algorithm_case *at);

#endif
