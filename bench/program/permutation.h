/* A permutation test of whether two lists of times differ. */
#ifndef SWATHE_BENCH_PERMUTATION_H
#define SWATHE_BENCH_PERMUTATION_H

#include <stdint.h>

enum { BENCH_PERMUTATIONS = 10000 }; /* the usual number; fewer cannot show small probabilities */

/* Two-sided permutation test on the difference of the medians of logarithms: the probability of
 * a difference of at least this size if both have the same distribution, (hits + 1) / (permutations
 * + 1). All samples are above 0. `scratch` holds 2 (na + nb) doubles. */
double bench_permutation(const double *a, int64_t na, const double *b, int64_t nb,
                         int64_t permutations, uint64_t seed, double *scratch);

#endif
