/* The median of a list. */
#ifndef SWATHE_BENCH_MEDIAN_H
#define SWATHE_BENCH_MEDIAN_H

#include <stdint.h>

/* Reorders the values. For an even number, the mean of the two middle values. */
double bench_median(double *values, int64_t count);

/* The value that `below` others do not exceed. Reorders the values. */
double bench_select(double *values, int64_t count, int64_t below);

#endif
