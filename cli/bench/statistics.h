/* What a list of measured times says, and how far to trust it. Nothing is allocated here. */
#ifndef SWATHE_CLI_STATISTICS_H
#define SWATHE_CLI_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

struct bench_statistics {
    double median;
    double low, high; /* where the median of a repetition falls, 9 times out of 10 */
    double mean, sd, best;
    int64_t runs, outliers;
    bool noisy; /* interval wider than a tenth of the median, more than a tenth outliers, visits a
                   tenth apart, or a single sample */
};

/* Samples are in the order in which they were taken; a visit is a run of equal numbers in `visit`
 * (NULL: one visit), as a suite comes back to a contender later. Equal seeds give equal results.
 * `scratch` holds `count` doubles. */
void bench_summarise(const double *samples, const int32_t *visit, int64_t count, uint64_t seed,
                     double *scratch, struct bench_statistics *out);

/* One side of a comparison. */
struct bench_side {
    const double *samples;
    const int32_t *visit; /* as above */
    int64_t count;
};

/* median(b) / median(a), and where it lies 19 times out of 20. `scratch` holds as many doubles as
 * the larger side. */
struct bench_ratio {
    double ratio, low, high;
};
struct bench_ratio bench_compare_medians(const struct bench_side *a, const struct bench_side *b,
                                         uint64_t seed, double *scratch);

#endif
