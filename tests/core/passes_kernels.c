/* Every kernel that applies two passes in floats or doubles, on every usable instruction set, is
 * compared with the definition in kernel.h. Sources and scratch end at guard pages, and so do many
 * results. Some rows are stored without the caches. */
#include "each_kernel.h"

#include "image/sample.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 9, TAPS = 9, APART = 5, COUNT = 1400, HEIGHT = 8, SOURCES = 32, RUNS = 60 };
enum { REACH = COUNT + (TAPS - 1) * APART };

static struct guarded sources[SOURCES], results[HEIGHT], scratch;

struct problem {
    struct kernel_args args;
    const void *source[SOURCES];
    void *result[HEIGHT];
    float floats[ROWS + TAPS];
    double doubles[ROWS + TAPS];
    swathe_type in; /* of the sources */
    bool wide;      /* sums and results are doubles, otherwise floats */
};

static int64_t size_of(const struct problem *p)
{
    return p->wide ? 8 : 4;
}

static double sample_at(const struct problem *p, const void *row, int64_t i)
{
    return sample_load((const uint8_t *)row + i * sample_size(p->in), p->in);
}

static double result_at(const struct problem *p, const void *row, int64_t i)
{
    return p->wide ? ((const double *)row)[i] : (double)((const float *)row)[i];
}

/* The sum with a product, rounded to the type of the samples. */
static double add(const struct problem *p, int64_t tap, double sample, double sum)
{
    return p->wide ? fma(p->doubles[tap], sample, sum)
                   : (double)fmaf(p->floats[tap], (float)sample, (float)sum);
}

static void make_rows(struct problem *p, int isa, struct rng *rng)
{
    const struct kernel_args *a = &p->args;
    int64_t samples = a->count + (a->tap_count - 1) * a->apart;
    int32_t last = a->rows.mask_rows + a->rows.height - 2;
    for (int64_t r = 0; r < kernel_multirow_sources(isa, KERNEL_FLOAT_PASSES, a->rows.mask_rows);
         r++) {
        int32_t size = sample_size(p->in);
        uint8_t *at = sources[r <= last ? r : last].end - samples * size;
        p->source[r] = at;
        for (int64_t i = 0; r <= last && i < samples * size; i++)
            at[i] = (uint8_t)rng_next(rng);
        for (int64_t i = 0; r <= last && sample_is_float(p->in) && i < samples; i++)
            sample_store(at + i * size, p->in, rng_once_in(rng, 999) ? NAN : rng_unit(rng) * 9.0);
    }
    for (int y = 0; y < a->rows.height; y++)
        p->result[y] = each_kernel_row(&results[y], a->count, size_of(p), rng);
}

static void make(struct problem *p, int isa, const struct kernel_entry *entry, struct rng *rng)
{
    bool wide = strcmp(entry->result, "f64") == 0;
    memset(p, 0, sizeof *p);
    p->wide = wide;
    p->in = sample_entry_named(entry->source)->type;
    p->args = (struct kernel_args){.source = p->source,
                                   .rows.results = p->result,
                                   .taps = wide ? (void *)p->doubles : (void *)p->floats,
                                   .count = rng_skewed(rng, 1, COUNT),
                                   .rows.mask_rows = (int32_t)rng_between(rng, 3, ROWS),
                                   .tap_count = rng_between(rng, 1, TAPS),
                                   .apart = rng_between(rng, 1, APART),
                                   .bias = (float)rng_unit(rng),
                                   .low = -INFINITY,
                                   .high = rng_once_in(rng, 2) ? INFINITY : 100.0,
                                   .stream = rng_once_in(rng, 2)};
    if (rng_once_in(rng, 2))
        p->args.tap_count = p->args.rows.mask_rows;
    int64_t halo = (p->args.tap_count - 1) * p->args.apart;
    p->args.rows.scratch = scratch.end - kernel_passes_bytes(isa, halo, size_of(p));
    p->args.rows.height =
        (int32_t)rng_between(rng, 1, kernel_multirow_height(isa, KERNEL_FLOAT_PASSES));
    for (int t = 0; t < ROWS + TAPS; t++)
        p->floats[t] = (float)(p->doubles[t] = rng_unit(rng));
    make_rows(p, isa, rng);
}

static double expected(const struct problem *p, int y, int64_t i)
{
    const struct kernel_args *a = &p->args;
    double sum = 0.0;
    for (int64_t t = 0; t < a->tap_count; t++) {
        double middle = 0.0;
        for (int32_t j = 0; j < a->rows.mask_rows; j++)
            middle = add(p, j, sample_at(p, p->source[y + j], i + t * a->apart), middle);
        sum = add(p, a->rows.mask_rows + t, middle + 0.0, sum);
    }
    sum = p->wide ? sum + a->bias : (double)(float)((float)sum + (float)a->bias);
    return sum > a->high ? a->high : sum;
}

static int check(int isa, int id, struct rng *rng)
{
    static struct problem p;
    for (int n = 0; n < RUNS; n++) {
        make(&p, isa, kernel_entry(id), rng);
        if (!each_kernel_run(isa, id, &p.args))
            return 1;
        for (int y = 0; y < p.args.rows.height; y++)
            for (int64_t i = 0; i < p.args.count; i++) {
                double want = expected(&p, y, i), got = result_at(&p, p.result[y], i);
                double slack = kernel_entry(id)->sum == KERNEL_FAST_PASSES ? 0.01 : 0.0;
                if (got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= slack)
                    continue;
                printf("FAILED: kernel %s on %s: sample %d of %d in row %d is %.9g, must be %.9g\n",
                       kernel_entry(id)->name, isa_at(isa)->name, (int)i, (int)p.args.count, y, got,
                       want);
                return 1;
            }
    }
    return 0;
}

int main(void)
{
    for (int r = 0; r < SOURCES; r++)
        sources[r] = guarded_new(REACH * 8);
    for (int y = 0; y < HEIGHT; y++)
        results[y] = each_kernel_memory(COUNT * 8);
    scratch = guarded_new(HEIGHT * REACH * 8);
    return each_kernel(KERNEL_FLOAT_PASSES, KERNEL_FAST_PASSES, check);
}
