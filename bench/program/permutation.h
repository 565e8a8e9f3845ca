/* A permutation test for the difference of two lists of times. */
#ifndef SWATHE_BENCH_PERMUTATION_H
#define SWATHE_BENCH_PERMUTATION_H

#include <stdint.h>

enum { BENCH_PERMUTATIONS = 10000 }; /* limits the smallest p-value to 1 / 10001 */

/* Two-sided permutation test on the difference of the medians of logarithms: the probability of
 * a difference of at least this size if both have the same distribution, (hits + 1) / (permutations
 * + 1). All samples are above 0. `scratch` holds 2 (na + nb) doubles. */
double bench_permutation(const double *a, int64_t na, const double *b, int64_t nb,
                         int64_t permutations, uint64_t seed, double *scratch);

#endif
