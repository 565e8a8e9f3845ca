/* The model: sample = true median + offset of its visit + noise. The bootstrap of the textbooks
 * draws visits and then samples in them; with two or three visits it misses half of what visits
 * differ by, and with one all of it. So offsets are drawn from a normal distribution instead, whose
 * width is itself drawn from what the visits at hand leave open (a scaled inverse χ²). What no
 * visit shows, such as other pages and another clock in the next process, enters as an offset that
 * is always expected: one percent, or what all contenders of the run drift by where that is more.
 * Noise is drawn from the samples as they are: it is seldom normal. */
#include "replicate.h"

#include "median.h"

#include <math.h>
#include <string.h>

static const double expected_offset = 0.01; /* of the median */
/* Two visits differ by one number; taken alone it would allow offsets of nearly any size. */
enum { KNOWN_LEAST = 2 };
static const double sd_per_mad = 1.4826, median_variance = 1.5708; /* of normal noise; π/2 */

static double median_copy(const double *values, int64_t count, double *scratch)
{
    memcpy(scratch, values, (size_t)count * sizeof *values);
    return bench_median(scratch, count);
}

static void find_starts(const struct bench_side *side, struct bench_visits *visits)
{
    visits->count = 1;
    visits->start[0] = 0;
    for (int64_t i = 1; side->visit && i < side->count; i++)
        if (side->visit[i] != side->visit[i - 1] && visits->count < BENCH_VISITS_MOST)
            visits->start[visits->count++] = i;
    visits->start[visits->count] = side->count;
}

/* The average variance of the visits' medians that noise alone causes. */
static double noise_of_centres(const struct bench_visits *visits, double *scratch)
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

static double variance_of_centres(const struct bench_visits *visits)
{
    double mean = 0, sum = 0;
    for (int32_t v = 0; v < visits->count; v++)
        mean += visits->centre[v] / visits->count;
    for (int32_t v = 0; v < visits->count; v++)
        sum += (visits->centre[v] - mean) * (visits->centre[v] - mean);
    return sum / (visits->count - 1);
}

void bench_visits_find(const struct bench_side *side, double *scratch, struct bench_visits *visits)
{
    *visits = (struct bench_visits){.samples = side->samples};
    visits->median = median_copy(side->samples, side->count, scratch);
    find_starts(side, visits);
    for (int32_t v = 0; v < visits->count; v++)
        visits->centre[v] = median_copy(side->samples + visits->start[v],
                                        visits->start[v + 1] - visits->start[v], scratch);
    double expected = fmax(expected_offset, side->drift) * visits->median;
    visits->expected = expected * expected;
    visits->known = visits->count > KNOWN_LEAST ? visits->count - 1 : KNOWN_LEAST;
    if (visits->count > 1)
        visits->squares = (visits->count - 1) *
                          fmax(0, variance_of_centres(visits) - noise_of_centres(visits, scratch));
}

/* A random number in 0 .. count - 1, without a division. */
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

double bench_offset_draw(const struct bench_visits *visits, struct rng *rng)
{
    double chi = 0;
    for (int32_t i = 0; i < visits->known; i++) {
        double x = draw_normal(rng);
        chi += x * x;
    }
    return sqrt(visits->expected + visits->squares / fmax(chi, 1e-9));
}

double bench_replicate(const struct bench_visits *visits, double offset, struct rng *rng,
                       double *scratch)
{
    int64_t at = 0;
    for (int32_t v = 0; v < visits->count; v++) {
        int64_t size = visits->start[v + 1] - visits->start[v];
        int64_t from = draw_below(rng, visits->count);
        int64_t held = visits->start[from + 1] - visits->start[from];
        const double *samples = visits->samples + visits->start[from];
        double shift = offset * draw_normal(rng);
        /* A few samples underestimate the variation, and estimate it poorly. */
        double wider = held > 1 ? sqrt((double)(held + 1) / (double)(held - 1)) : 1;
        for (int64_t i = 0; i < size; i++)
            scratch[at++] = wider * (samples[draw_below(rng, held)] - visits->centre[from]) + shift;
    }
    return bench_median(scratch, at);
}
