/* The kernel that applies two passes to samples and to their weights, on every usable instruction
 * set, is compared with the definition in kernel.h. Holes are rare, frequent or absent, so that
 * vectors with and without them are next to each other. Sources end at guard pages, and so do many
 * results. Some rows are stored without the caches. */
#include "each_kernel.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 9, TAPS = 9, APART = 5, COUNT = 1400, HEIGHT = 8, SOURCES = 32, RUNS = 200 };
enum { REACH = COUNT + (TAPS - 1) * APART };

static struct guarded sources[SOURCES], results[HEIGHT];
static _Alignas(64) double scratch[(2 * HEIGHT + 1) * (REACH + 64)];

struct problem {
    struct kernel_args args;
    struct kernel_weighted weighted;
    const void *source[SOURCES];
    void *result[HEIGHT];
    double taps[ROWS + TAPS];
};

static bool is_here(const struct problem *p, double sample)
{
    return p->weighted.is_nan ? !isnan(sample) : sample != p->weighted.none;
}

static float draw_sample(const struct problem *p, int64_t holes, struct rng *rng)
{
    if (holes > 0 && rng_once_in(rng, holes))
        return p->weighted.is_nan ? NAN : (float)p->weighted.none;
    if (!p->weighted.is_nan && rng_once_in(rng, 999))
        return NAN;
    return rng_once_in(rng, 9) ? 1.0f : (float)(rng_unit(rng) * 9.0);
}

static void make_rows(struct problem *p, int isa, struct rng *rng)
{
    const struct kernel_args *a = &p->args;
    static const int64_t shares[] = {0, 2, 20, 1000, 5000};
    int64_t samples = a->count + (a->tap_count - 1) * a->apart;
    int64_t holes = shares[rng_between(rng, 0, 4)];
    int32_t last = a->rows.mask_rows + a->rows.height - 2;
    for (int64_t r = 0; r < kernel_multirow_sources(isa, KERNEL_WEIGHTED_PASSES, a->rows.mask_rows);
         r++) {
        float *at = (float *)(void *)sources[r <= last ? r : last].end - samples;
        p->source[r] = at;
        for (int64_t i = 0; r <= last && i < samples; i++)
            at[i] = draw_sample(p, holes, rng);
    }
    for (int y = 0; y < a->rows.height; y++)
        p->result[y] = each_kernel_row(&results[y], a->count, sizeof(float), rng);
}

/* The sum of all weights, in the order of the definition. */
static double sum_of_all(const struct problem *p)
{
    double column = 0.0, all = 0.0;
    for (int32_t j = 0; j < p->args.rows.mask_rows; j++)
        column += p->taps[j];
    for (int64_t t = 0; t < p->args.tap_count; t++)
        all = fma(p->taps[p->args.rows.mask_rows + t], column, all);
    return all;
}

static void make_weighted(struct problem *p, struct rng *rng)
{
    struct kernel_weighted *w = &p->weighted;
    struct kernel_quotient *q = &w->quotient;
    w->is_nan = rng_once_in(rng, 2);
    w->none = rng_once_in(rng, 2) ? 0.0 : 2.0;
    w->centred = rng_once_in(rng, 2);
    w->centre_row = (int32_t)rng_between(rng, 0, p->args.rows.mask_rows - 1);
    w->centre = rng_between(rng, 0, p->args.tap_count - 1) * p->args.apart;
    q->all = rng_once_in(rng, 9) ? 3.0 : sum_of_all(p);
    q->unit = rng_once_in(rng, 2) ? 1.0 : 3.0;
    q->least = rng_once_in(rng, 2) ? 0x1p-1074 : 0.5 * fabs(q->all);
    q->none = w->is_nan ? NAN : w->none;
    q->beside = w->is_nan ? NAN : rng_once_in(rng, 4) ? q->none : nextafterf((float)q->none, 1.0f);
    q->is_f32 = true;
    p->args.low = rng_once_in(rng, 2) ? -INFINITY : 0.0;
    p->args.high = rng_once_in(rng, 2) ? INFINITY : 4.0;
}

static void make(struct problem *p, int isa, struct rng *rng)
{
    memset(p, 0, sizeof *p);
    p->args = (struct kernel_args){.source = p->source,
                                   .rows.results = p->result,
                                   .taps = p->taps,
                                   .rows.scratch = scratch,
                                   .count = rng_skewed(rng, 1, COUNT),
                                   .rows.mask_rows = (int32_t)rng_between(rng, 3, ROWS),
                                   .tap_count = rng_between(rng, 1, TAPS),
                                   .apart = rng_between(rng, 1, APART),
                                   .bias = rng_once_in(rng, 2) ? 0.0 : rng_unit(rng),
                                   .stream = rng_once_in(rng, 2),
                                   .weighted = &p->weighted};
    p->args.rows.height =
        (int32_t)rng_between(rng, 1, kernel_multirow_height(isa, KERNEL_WEIGHTED_PASSES));
    for (int t = 0; t < ROWS + TAPS; t++)
        p->taps[t] = rng_unit(rng);
    make_weighted(p, rng);
    make_rows(p, isa, rng);
}

static double sample_at(const struct problem *p, int64_t row, int64_t i)
{
    return (double)((const float *)p->source[row])[i];
}

static float quotient(const struct problem *p, double n, double d, bool centre)
{
    const struct kernel_quotient *q = &p->weighted.quotient;
    if (fabs(d) < q->least || (p->weighted.centred && !centre))
        return (float)q->none;
    double v = d == q->all ? n / q->unit : n / d * (q->all / q->unit);
    v = (double)(float)(v + p->args.bias);
    v = v < p->args.low ? p->args.low : v > p->args.high ? p->args.high : v;
    return (float)(v == q->none && q->beside != q->none ? q->beside : v);
}

static float expected(const struct problem *p, int y, int64_t i)
{
    const struct kernel_args *a = &p->args;
    double n = 0.0, d = 0.0;
    for (int64_t t = 0; t < a->tap_count; t++) {
        double sum = 0.0, weight = 0.0;
        for (int32_t j = 0; j < a->rows.mask_rows; j++) {
            double v = sample_at(p, y + j, i + t * a->apart), m = is_here(p, v) ? 1.0 : 0.0;
            sum = fma(p->taps[j], m > 0.0 ? v : 0.0, sum);
            weight = fma(p->taps[j], m, weight);
        }
        n = fma(p->taps[a->rows.mask_rows + t], sum + 0.0, n);
        d = fma(p->taps[a->rows.mask_rows + t], weight + 0.0, d);
    }
    double centre = sample_at(p, y + p->weighted.centre_row, i + p->weighted.centre);
    return quotient(p, n, d, is_here(p, centre));
}

static int check(int isa, int id, struct rng *rng)
{
    static struct problem p;
    for (int n = 0; n < RUNS; n++) {
        make(&p, isa, rng);
        if (!each_kernel_run(isa, id, &p.args))
            return 1;
        for (int y = 0; y < p.args.rows.height; y++)
            for (int64_t i = 0; i < p.args.count; i++) {
                float want = expected(&p, y, i), got = ((const float *)p.result[y])[i];
                if (memcmp(&got, &want, sizeof got) == 0 || (isnan(got) && isnan(want)))
                    continue;
                printf("FAILED: kernel %s on %s: sample %d of %d in row %d is %.9g, must be %.9g\n",
                       kernel_entry(id)->name, isa_at(isa)->name, (int)i, (int)p.args.count, y,
                       (double)got, (double)want);
                return 1;
            }
    }
    return 0;
}

int main(void)
{
    for (int r = 0; r < SOURCES; r++)
        sources[r] = guarded_new(REACH * 4);
    for (int y = 0; y < HEIGHT; y++)
        results[y] = each_kernel_memory(COUNT * 4);
    return each_kernel(KERNEL_WEIGHTED_PASSES, KERNEL_WEIGHTED_PASSES, check);
}
