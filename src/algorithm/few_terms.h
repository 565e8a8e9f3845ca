/* A float mask as a sum of a few products of a column and a row, and its distance from the mask. */
#ifndef SWATHE_ALGORITHM_FEW_TERMS_H
#define SWATHE_ALGORITHM_FEW_TERMS_H

#include "algorithm/algorithm.h"

struct terms {
    int32_t count;
    float *columns, *rows; /* count × the mask's height, and count × its width */
    double mask_sum;       /* Σ|k| */
    double residual;       /* Σ|k − sum of the terms|, including the rounding of the taps */
    double gain; /* Σ over the terms of Σ|column|·Σ|row|; at least Σ|k|, more if terms cancel */
    double row_sum; /* Σ|row| of all terms */
};

/* Finds the terms of each mask of an op, if few enough to save work are within `accuracy`, as in
 * the plan options; 0: the error of one sum over all taps. Otherwise `terms` is NULL. */
swathe_status terms_find(struct arena *arena, const struct op *op, double accuracy,
                         const void **terms);

/* For an analysis by terms_find: error relative to Σ|k|·max|p|, the largest of all masks. */
double terms_relative_error(const struct algorithm_case *at);
/* Error of the stage's result, as op->error_bound. */
double terms_error_bound(const struct algorithm_case *at);

/* Multiply-adds of both passes, the largest of all masks. */
int64_t terms_work(const struct algorithm_case *at);

#endif
