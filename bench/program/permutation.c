#include "statistics.h"

#include "rng.h"

#include <math.h>
#include <stdlib.h>

static const double rounding = 1e-12; /* equal differences count as hits */

struct pool {
    const double *values; /* ascending */
    int64_t count, of_a;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the `count` values with this mark. The values are sorted, so one pass finds it. */
static double marked_median(const struct pool *pool, const uint8_t *mark, int wanted, int64_t count)
{
    int64_t seen = 0;
    double lower = 0;
    for (int64_t i = 0; i < pool->count; i++) {
        if (mark[i] != wanted)
            continue;
        if (seen == (count - 1) / 2)
            lower = pool->values[i];
        if (seen++ == count / 2)
            return (lower + pool->values[i]) / 2;
    }
    return lower;
}

static double difference(const struct pool *pool, const uint8_t *mark)
{
    return fabs(marked_median(pool, mark, 1, pool->of_a) -
                marked_median(pool, mark, 0, pool->count - pool->of_a));
}

/* Fisher and Yates. */
static void shuffle(uint8_t *mark, int64_t count, struct rng *rng)
{
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = (int64_t)((rng_next(rng) >> 32) * (uint64_t)(i + 1) >> 32);
        uint8_t held = mark[i];
        mark[i] = mark[j];
        mark[j] = held;
    }
}

static void take_logarithms(const double *from, int64_t count, double *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = log(from[i]);
}

double bench_permutation(const double *a, int64_t na, const double *b, int64_t nb,
                         int64_t permutations, uint64_t seed, double *scratch)
{
    struct pool pool = {scratch, na + nb, na};
    uint8_t *mark = (uint8_t *)(scratch + pool.count);
    struct rng rng = {seed};
    int64_t hits = 0;
    take_logarithms(a, na, scratch);
    take_logarithms(b, nb, scratch + na);
    double seen = fabs(bench_median(scratch, na) - bench_median(scratch + na, nb));
    qsort(scratch, (size_t)pool.count, sizeof *scratch, by_value);
    for (int64_t i = 0; i < pool.count; i++)
        mark[i] = i < na;
    for (int64_t i = 0; i < permutations; i++) {
        shuffle(mark, pool.count, &rng);
        hits += difference(&pool, mark) >= seen - rounding;
    }
    return (double)(hits + 1) / (double)(permutations + 1);
}
