/* What a list of measured times says, and how far to trust it. Nothing is allocated here. */
#ifndef SWATHE_BENCH_STATISTICS_H
#define SWATHE_BENCH_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

/* With fewer runs, or an interval beyond this factor either way, nothing is said about how far to
 * trust a median: the interval would be a guess about the noise. */
enum { BENCH_RUNS_LEAST = 5, BENCH_FACTOR_MOST = 2 };
#define BENCH_FEW  "too few runs"         /* what is said instead: the first, */
#define BENCH_WIDE "runs differ too much" /* the second */

struct bench_statistics {
    double median;
    double low, high; /* where the median of a repetition falls, 9 times out of 10; NAN: none */
    double mean, sd, best;
    int64_t runs, outliers;
    const char *no_interval; /* BENCH_FEW or BENCH_WIDE; NULL: there is one */
    bool noisy; /* interval wider than a tenth of the median, more than a tenth outliers, visits a
                   tenth apart, or no interval */
};

/* Samples in the order in which they were taken. */
struct bench_side {
    const double *samples;
    const int32_t *visit; /* a visit is a run of equal numbers, as a suite comes back to a contender
                             later; NULL: one visit */
    int64_t count;
    double drift; /* what visits are known to differ by anyway, as a share of the median: that of
                     others in the same run; 0: not known */
};

/* Equal seeds give equal results. `scratch` holds `count` doubles, here and below. */
void bench_summarise(const struct bench_side *side, uint64_t seed, double *scratch,
                     struct bench_statistics *out);

/* The standard deviation of this contender's visits beyond what its noise explains, as a share of
 * its median; below 0: it has too few to tell. */
double bench_drift(const struct bench_side *side, double *scratch);

/* What a run drifts by: the median of those that can tell. Reorders them. 0: nobody can. */
double bench_drift_of_all(double *drifts, int64_t count);

/* median(b) / median(a), and where it lies 19 times out of 20. `scratch` is for the larger side. */
struct bench_ratio {
    double ratio, low, high;
};
struct bench_ratio bench_compare_medians(const struct bench_side *a, const struct bench_side *b,
                                         uint64_t seed, double *scratch);

#endif
