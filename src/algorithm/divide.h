/* Quotients of sums of samples and sums of weights. */
#ifndef SWATHE_ALGORITHM_DIVIDE_H
#define SWATHE_ALGORITHM_DIVIDE_H

#include "algorithm/algorithm.h"

/* Can a kernel compute the quotients of an op? */
bool divide_has_kernel(const struct op *op);
/* Its constants, for a part of the op's weights. */
struct kernel_quotient divide_constants(const struct op *op, int32_t part);

#endif
