/* Runs the same check on every usable instruction set. */
#ifndef TESTS_EACH_KERNEL_H
#define TESTS_EACH_KERNEL_H

#include "cpu/kernel.h"

#include "../../cli/rng.h"

/* Checks the kernels of the sums first … last that an instruction set has itself; `check` returns 1
 * after a message if a kernel is wrong. Prints the totals and returns the status for main. */
int each_kernel(enum kernel_sum first, enum kernel_sum last,
                int (*check)(int isa, int id, struct rng *rng));

#endif
