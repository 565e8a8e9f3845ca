/* The model: sample = true median + offset of its visit + noise. The usual bootstrap draws visits
 * and then samples in them. With two or three visits it underestimates their variation by half, and
 * with one it has none. Here, offsets are drawn from a normal distribution. Its variance is itself
 * drawn from the distribution that is compatible with the observed visits (a scaled inverse χ²).
 * Each visit also has an offset that no observed visit may show, for example because the next
 * process has other pages and another clock frequency: one percent, or the drift of the whole run
 * if that is larger. Noise is drawn from the samples themselves, because it is seldom normal. */
#include "statistics.h"

#include "rng.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 240, DRIFT_SAMPLES = 6 };
enum { VISITS_MOST = 64 }; /* later ones are added to the last */
/* Two visits give one difference, which alone would allow offsets of nearly any size. */
enum { KNOWN_LEAST = 2 };
static const double expected_offset = 0.01; /* of the median */
static const double factor_least = 0.05;    /* limits a replicate, so that its logarithm exists */
static const double noise_most = 0.1;       /* of the median, or of the samples */
static const double outlier_sds = 3;        /* standard deviations, estimated from the MAD */
static const double outlier_least = 0.01;   /* of the median; the MAD may be 0 */
static const double sd_per_mad = 1.4826, median_variance = 1.5708; /* of normal noise; π/2 */

/* A run split into visits: the median of each, and the variation between them. */
struct visits {
    const double *samples;
    int64_t start[VISITS_MOST + 1];
    double centre[VISITS_MOST];
    int32_t count;
    double median;
    double expected; /* variance of the offset that every visit may have */
    double squares;  /* observed variation beyond noise: a sum of squares, */
    int32_t known;   /* and its degrees of freedom */
};

/* ---- Medians --------------------------------------------------------------------------------- */

/* Hoare's selection, because sorting would dominate the time of resampling. */
double bench_select(double *values, int64_t count, int64_t below)
{
    int64_t first = 0, last = count - 1;
    while (first < last) {
        double pivot = values[below];
        int64_t i = first, j = last;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i <= j) {
                double held = values[i];
                values[i++] = values[j];
                values[j--] = held;
            }
        }
        if (j < below)
            first = i;
        if (i > below)
            last = j;
    }
    return values[below];
}

double bench_median(double *values, int64_t count)
{
    double upper = bench_select(values, count, count / 2), lower = -INFINITY;
    if (count % 2 == 1)
        return upper;
    for (int64_t i = 0; i < count / 2; i++) /* selection left the smaller half here */
        lower = fmax(lower, values[i]);
    return (lower + upper) / 2;
}

double bench_median_of(const double *values, int64_t count, double *scratch)
{
    memcpy(scratch, values, (size_t)count * sizeof *values);
    return bench_median(scratch, count);
}

/* ---- Replicates ------------------------------------------------------------------------------ */

static void find_starts(const struct bench_side *side, struct visits *visits)
{
    visits->count = 1;
    visits->start[0] = 0;
    for (int64_t i = 1; side->visit && i < side->count; i++)
        if (side->visit[i] != side->visit[i - 1] && visits->count < VISITS_MOST)
            visits->start[visits->count++] = i;
    visits->start[visits->count] = side->count;
}

/* The mean variance of the visits' medians that noise alone causes. */
static double noise_of_centres(const struct visits *visits, double *scratch)
{
    int64_t count = visits->start[visits->count];
    double sum = 0;
    for (int32_t v = 0; v < visits->count; v++) {
        sum += 1.0 / (double)(visits->start[v + 1] - visits->start[v]);
        for (int64_t i = visits->start[v]; i < visits->start[v + 1]; i++)
            scratch[i] = fabs(visits->samples[i] - visits->centre[v]);
    }
    double sd = sd_per_mad * bench_median(scratch, count);
    return median_variance * sd * sd * sum / visits->count;
}

static double variance_of_centres(const struct visits *visits)
{
    double mean = 0, sum = 0;
    for (int32_t v = 0; v < visits->count; v++)
        mean += visits->centre[v] / visits->count;
    for (int32_t v = 0; v < visits->count; v++)
        sum += (visits->centre[v] - mean) * (visits->centre[v] - mean);
    return sum / (visits->count - 1);
}

static void find_visits(const struct bench_side *side, double *scratch, struct visits *visits)
{
    *visits = (struct visits){.samples = side->samples};
    visits->median = bench_median_of(side->samples, side->count, scratch);
    find_starts(side, visits);
    for (int32_t v = 0; v < visits->count; v++)
        visits->centre[v] = bench_median_of(side->samples + visits->start[v],
                                            visits->start[v + 1] - visits->start[v], scratch);
    double expected = fmax(expected_offset, side->drift) * visits->median;
    visits->expected = expected * expected;
    visits->known = visits->count > KNOWN_LEAST ? visits->count - 1 : KNOWN_LEAST;
    if (visits->count > 1)
        visits->squares = (visits->count - 1) *
                          fmax(0, variance_of_centres(visits) - noise_of_centres(visits, scratch));
}

/* A random integer from 0 to count - 1, without a division. */
static int64_t draw_below(struct rng *rng, int64_t count)
{
    return (int64_t)((rng_next(rng) >> 32) * (uint64_t)count >> 32);
}

static double draw_normal(struct rng *rng)
{
    double radius = sqrt(-2 * log(1 - fabs(rng_unit(rng)))); /* |unit| may be 0 and is at most 1 */
    double x = isfinite(radius) ? radius : 8;
    return x * cos(3.14159265358979323846 * rng_unit(rng));
}

/* A possible standard deviation of the offsets of visits. */
static double draw_offset(const struct visits *visits, struct rng *rng)
{
    double chi = 0;
    for (int32_t i = 0; i < visits->known; i++) {
        double x = draw_normal(rng);
        chi += x * x;
    }
    return sqrt(visits->expected + visits->squares / fmax(chi, 1e-9));
}

/* The random error of the median of another run. */
static double draw_replicate(const struct visits *visits, double offset, struct rng *rng,
                             double *scratch)
{
    int64_t at = 0;
    for (int32_t v = 0; v < visits->count; v++) {
        int64_t size = visits->start[v + 1] - visits->start[v];
        int64_t from = draw_below(rng, visits->count);
        int64_t held = visits->start[from + 1] - visits->start[from];
        const double *samples = visits->samples + visits->start[from];
        double shift = offset * draw_normal(rng);
        /* Few samples underestimate the variation. */
        double wider = held > 1 ? sqrt((double)(held + 1) / (double)(held - 1)) : 1;
        for (int64_t i = 0; i < size; i++)
            scratch[at++] = wider * (samples[draw_below(rng, held)] - visits->centre[from]) + shift;
    }
    return bench_median(scratch, at);
}

/* ---- Intervals ------------------------------------------------------------------------------- */

/* The logarithm of the ratio of another run's median to this one's: noise grows with the time. */
static double draw_logarithm(const struct visits *visits, double offset, struct rng *rng,
                             double *scratch)
{
    double away = draw_replicate(visits, offset, rng, scratch) / visits->median;
    return log(fmax(1 + away, factor_least));
}

/* The factor within which the medians of two runs stay with this probability. Both are drawn,
 * because a repetition is as uncertain as the original run. */
static double distance(const struct visits *a, const struct visits *b, double probability,
                       uint64_t seed, double *scratch)
{
    struct rng rng = {seed};
    double distances[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        double offset_a = draw_offset(a, &rng);
        double offset_b = a == b ? offset_a : draw_offset(b, &rng);
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

static double spread_of_visits(const struct visits *visits)
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
    struct visits visits;
    *out = (struct bench_statistics){
        .low = NAN, .high = NAN, .runs = side->count, .no_interval = BENCH_FEW, .noisy = true};
    if (side->count < 1)
        return;
    find_visits(side, scratch, &visits);
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
    struct visits visits;
    if (side->count < DRIFT_SAMPLES)
        return -1;
    find_visits(side, scratch, &visits);
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
    struct visits of_a, of_b;
    find_visits(a, scratch, &of_a);
    find_visits(b, scratch, &of_b);
    double factor = distance(&of_a, &of_b, 0.95, seed, scratch);
    double ratio = of_b.median / of_a.median;
    return (struct bench_ratio){ratio, ratio / factor, ratio * factor};
}
