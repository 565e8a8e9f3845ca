#include "statistics.h"

#include "median.h"
#include "replicate.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 240, DRIFT_SAMPLES = 6 };
static const double factor_least = 0.05;  /* of a replicate to the median: all are above 0 */
static const double noise_most = 0.1;     /* of the median, or of the samples */
static const double outlier_sds = 3;      /* beyond so many standard deviations, by the MAD */
static const double sd_per_mad = 1.4826;  /* of normal noise */
static const double outlier_least = 0.01; /* of the median: nearer is none, should the MAD be 0 */

/* A replicate of the median as a logarithm: times are noisy by factors. */
static double draw_logarithm(const struct bench_visits *visits, double offset, struct rng *rng,
                             double *scratch)
{
    double away = bench_replicate(visits, offset, rng, scratch) / visits->median;
    return log(fmax(1 + away, factor_least));
}

/* The factor within which the medians of two runs stay with this probability. Both are drawn,
 * because a repetition is as uncertain as the original run. */
static double distance(const struct bench_visits *a, const struct bench_visits *b,
                       double probability, uint64_t seed, double *scratch)
{
    struct rng rng = {seed};
    double distances[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        double offset_a = bench_offset_draw(a, &rng);
        double offset_b = a == b ? offset_a : bench_offset_draw(b, &rng);
        distances[i] = fabs(draw_logarithm(a, offset_a, &rng, scratch) -
                            draw_logarithm(b, offset_b, &rng, scratch));
    }
    return exp(bench_select(distances, PAIRS, (int64_t)(probability * PAIRS)));
}

static void find_moments(const double *samples, struct bench_statistics *out)
{
    double sum = 0, squares = 0;
    out->best = INFINITY;
    for (int64_t i = 0; i < out->runs; i++) {
        sum += samples[i];
        out->best = fmin(out->best, samples[i]);
    }
    out->mean = sum / (double)out->runs;
    for (int64_t i = 0; i < out->runs; i++)
        squares += (samples[i] - out->mean) * (samples[i] - out->mean);
    out->sd = out->runs > 1 ? sqrt(squares / (double)(out->runs - 1)) : 0;
}

static int64_t count_outliers(const double *samples, int64_t count, double median, double *scratch)
{
    int64_t outliers = 0;
    for (int64_t i = 0; i < count; i++)
        scratch[i] = fabs(samples[i] - median);
    double most =
        fmax(outlier_sds * sd_per_mad * bench_median(scratch, count), outlier_least * fabs(median));
    for (int64_t i = 0; i < count; i++)
        outliers += fabs(samples[i] - median) > most;
    return outliers;
}

static double spread_of_visits(const struct bench_visits *visits)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t v = 0; v < visits->count; v++) {
        low = fmin(low, visits->centre[v]);
        high = fmax(high, visits->centre[v]);
    }
    return high - low;
}

void bench_summarise(const struct bench_side *side, uint64_t seed, double *scratch,
                     struct bench_statistics *out)
{
    struct bench_visits visits;
    *out = (struct bench_statistics){
        .low = NAN, .high = NAN, .runs = side->count, .no_interval = BENCH_FEW, .noisy = true};
    if (side->count < 1)
        return;
    bench_visits_find(side, scratch, &visits);
    find_moments(side->samples, out);
    out->median = visits.median;
    if (visits.median <= 0)
        return;
    double factor = distance(&visits, &visits, 0.9, seed, scratch);
    out->no_interval = side->count < BENCH_RUNS_LEAST ? BENCH_FEW
                       : factor > BENCH_FACTOR_MOST   ? BENCH_WIDE
                                                      : NULL;
    out->low = out->no_interval ? NAN : visits.median / factor;
    out->high = out->no_interval ? NAN : visits.median * factor;
    out->outliers = count_outliers(side->samples, side->count, visits.median, scratch);
    out->noisy = out->no_interval || out->high - out->low > noise_most * visits.median ||
                 (double)out->outliers > noise_most * (double)side->count ||
                 spread_of_visits(&visits) > noise_most * visits.median;
}

double bench_drift(const struct bench_side *side, double *scratch)
{
    struct bench_visits visits;
    if (side->count < DRIFT_SAMPLES)
        return -1;
    bench_visits_find(side, scratch, &visits);
    if (visits.count < 2 || visits.median <= 0)
        return -1;
    return sqrt(visits.squares / (visits.count - 1)) / visits.median;
}

double bench_drift_of_all(double *drifts, int64_t count)
{
    int64_t known = 0;
    for (int64_t i = 0; i < count; i++)
        if (drifts[i] >= 0)
            drifts[known++] = drifts[i];
    return known ? bench_median(drifts, known) : 0;
}

struct bench_ratio bench_compare_medians(const struct bench_side *a, const struct bench_side *b,
                                         uint64_t seed, double *scratch)
{
    struct bench_visits of_a, of_b;
    bench_visits_find(a, scratch, &of_a);
    bench_visits_find(b, scratch, &of_b);
    double factor = distance(&of_a, &of_b, 0.95, seed, scratch);
    double ratio = of_b.median / of_a.median;
    return (struct bench_ratio){ratio, ratio / factor, ratio * factor};
}
