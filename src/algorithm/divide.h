/* Quotients of sums of samples and sums of weights. */
#ifndef SWATHE_ALGORITHM_DIVIDE_H
#define SWATHE_ALGORITHM_DIVIDE_H

#include "algorithm/algorithm.h"

/* The constants of each part of the weights of a stage; NULL: its results are computed by the
 * definition. */
const struct kernel_quotient *divide_constants(const struct plan_stage *stage);

#endif
