/* The median of a list. */
#ifndef SWATHE_BENCH_MEDIAN_H
#define SWATHE_BENCH_MEDIAN_H

#include <stdint.h>

/* For an even number, the mean of the two middle values. Reorders the values. */
double bench_median(double *values, int64_t count);
/* The same, on a copy in `scratch`. */
double bench_median_of(const double *values, int64_t count, double *scratch);

/* The value at index `below` in ascending order. Reorders the values. */
double bench_select(double *values, int64_t count, int64_t below);

#endif
