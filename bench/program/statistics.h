/* Medians of measured times, intervals, and tests of differences. Nothing is allocated here. */
#ifndef SWATHE_BENCH_STATISTICS_H
#define SWATHE_BENCH_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

/* For an even number, the mean of the two middle values. Reorders the values. */
double bench_median(double *values, int64_t count);
/* The same, on a copy in `scratch`. */
double bench_median_of(const double *values, int64_t count, double *scratch);

/* The value at index `below` in ascending order. Reorders the values. */
double bench_select(double *values, int64_t count, int64_t below);

/* No interval is stated for fewer runs, or if it would exceed this factor in either direction. */
enum { BENCH_RUNS_LEAST = 5, BENCH_FACTOR_MOST = 2 };
#define BENCH_FEW  "too few runs"         /* reason for the first case */
#define BENCH_WIDE "runs differ too much" /* reason for the second case */

struct bench_statistics {
    double median;
    double low, high; /* contain the median of a repetition in 9 of 10 cases; NAN: none */
    double mean, sd, best;
    int64_t runs, outliers;
    const char *no_interval; /* BENCH_FEW or BENCH_WIDE; NULL: there is one */
    bool noisy; /* interval wider than a tenth of the median, more than a tenth outliers, visits a
                   tenth apart, or no interval */
};

/* Samples in the order in which they were taken. */
struct bench_side {
    const double *samples;
    const int32_t *visit; /* number of the visit of each sample; equal ones are adjacent. NULL: one
                             visit */
    int64_t count;
    double drift; /* variation between visits of other contenders in the same run, as a share of the
                     median; 0: unknown */
};

/* Equal seeds give equal results. `scratch` holds `count` doubles, here and below. */
void bench_summarise(const struct bench_side *side, uint64_t seed, double *scratch,
                     struct bench_statistics *out);

/* The standard deviation of this contender's visits beyond what its noise explains, as a share of
 * its median; below 0: too few visits. */
double bench_drift(const struct bench_side *side, double *scratch);

/* The drift of a run: the median of the drifts that are known. Reorders them. 0: none is known. */
double bench_drift_of_all(double *drifts, int64_t count);

/* median(b) / median(a), and an interval that contains it in 19 of 20 cases. `scratch` holds the
 * count of the larger side. */
struct bench_ratio {
    double ratio, low, high;
};
struct bench_ratio bench_compare_medians(const struct bench_side *a, const struct bench_side *b,
                                         uint64_t seed, double *scratch);

enum { BENCH_PERMUTATIONS = 10000 }; /* limits the smallest p-value to 1 / 10001 */

/* Two-sided permutation test on the difference of the medians of logarithms: the probability of
 * a difference of at least this size if both have the same distribution, (hits + 1) / (permutations
 * + 1). All samples are above 0. `scratch` holds 2 (na + nb) doubles. */
double bench_permutation(const double *a, int64_t na, const double *b, int64_t nb,
                         int64_t permutations, uint64_t seed, double *scratch);

#endif
