/* Draws medians that other runs might give from the samples of one run. */
#ifndef SWATHE_BENCH_REPLICATE_H
#define SWATHE_BENCH_REPLICATE_H

#include "rng.h"
#include "statistics.h"

enum { BENCH_VISITS_MOST = 64 }; /* later ones count as part of the last */

/* A run split into visits: the median of each, and the variation between them. */
struct bench_visits {
    const double *samples;
    int64_t start[BENCH_VISITS_MOST + 1];
    double centre[BENCH_VISITS_MOST];
    int32_t count;
    double median;
    double expected; /* squared offset that a visit always may have */
    double squares;  /* variation of the visits beyond it: a sum of squares, and their number */
    int32_t known;
};

/* `scratch` holds one double per sample of the side, here and below. */
void bench_visits_find(const struct bench_side *side, double *scratch, struct bench_visits *visits);

/* A standard deviation that offsets of visits may have. */
double bench_offset_draw(const struct bench_visits *visits, struct rng *rng);

/* A random distance of another run's median from the true one. */
double bench_replicate(const struct bench_visits *visits, double offset, struct rng *rng,
                       double *scratch);

#endif
