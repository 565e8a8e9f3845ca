/* Do two lists of times differ by more than their order? */
#ifndef SWATHE_BENCH_PERMUTATION_H
#define SWATHE_BENCH_PERMUTATION_H

#include <stdint.h>

enum { BENCH_PERMUTATIONS = 10000 }; /* what is usual; fewer cannot show small probabilities */

/* Two-sided permutation test on the difference of the medians of logarithms: the probability of
 * one at least so large if both came from one source, (hits + 1) / (permutations + 1). All samples
 * are above 0. `scratch` holds 2 (na + nb) doubles. */
double bench_permutation(const double *a, int64_t na, const double *b, int64_t nb,
                         int64_t permutations, uint64_t seed, double *scratch);

#endif
