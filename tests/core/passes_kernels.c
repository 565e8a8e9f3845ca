/* Every kernel that applies two passes to floats, on every usable instruction set, is compared with
 * the definition in kernel.h. Rows end at guard pages. Some rows are stored without the caches. */
#include "cpu/kernel.h"

#include "../../cli/rng.h"
#include "guarded.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 9, TAPS = 9, APART = 5, COUNT = 1400, HEIGHT = 8, SOURCES = 32, RUNS = 60 };
enum { REACH = COUNT + (TAPS - 1) * APART };

static struct guarded sources[SOURCES], results[HEIGHT], targets[HEIGHT];
static _Alignas(64) float scratch[HEIGHT * (REACH + 64)];

struct problem {
    struct kernel_args args;
    const void *source[SOURCES];
    void *result[HEIGHT];
    struct kernel_drain drains[HEIGHT];
    float taps[ROWS + TAPS];
};

static void make_rows(struct problem *p, int isa, struct rng *rng)
{
    const struct kernel_args *a = &p->args;
    int64_t samples = a->count + (a->tap_count - 1) * a->apart;
    int32_t last = a->mask_rows + a->height - 2;
    for (int64_t r = 0; r < kernel_multirow_sources(isa, KERNEL_FLOAT_MULTIROW, a->mask_rows);
         r++) {
        float *at = (float *)(void *)sources[r <= last ? r : last].end - samples;
        p->source[r] = at;
        for (int64_t i = 0; r <= last && i < samples; i++)
            at[i] = rng_once_in(rng, 999) ? NAN : (float)(rng_unit(rng) * 9.0);
    }
    for (int y = 0; y < a->height; y++) {
        int64_t bytes = a->count * 4;
        uint8_t *to = targets[y].end - bytes - 4 * rng_between(rng, 0, 15);
        int64_t first = (int64_t)(-(uintptr_t)to % 64);
        first = first < bytes ? first : bytes;
        p->result[y] = results[y].end - bytes;
        p->drains[y] = (struct kernel_drain){to, first, first};
    }
}

static void make(struct problem *p, int isa, struct rng *rng)
{
    memset(p, 0, sizeof *p);
    p->args = (struct kernel_args){.source = p->source,
                                   .results = p->result,
                                   .taps = p->taps,
                                   .scratch = scratch,
                                   .count = rng_skewed(rng, 1, COUNT),
                                   .mask_rows = (int32_t)rng_between(rng, 3, ROWS),
                                   .tap_count = rng_between(rng, 1, TAPS),
                                   .apart = rng_between(rng, 1, APART),
                                   .bias = (float)rng_unit(rng),
                                   .low = -INFINITY,
                                   .high = rng_once_in(rng, 2) ? INFINITY : 100.0,
                                   .drain = rng_once_in(rng, 2) ? p->drains : NULL};
    p->args.height =
        (int32_t)rng_between(rng, 1, kernel_multirow_height(isa, KERNEL_FLOAT_MULTIROW));
    for (int t = 0; t < ROWS + TAPS; t++)
        p->taps[t] = (float)rng_unit(rng);
    make_rows(p, isa, rng);
}

static float expected(const struct problem *p, int y, int64_t i)
{
    const struct kernel_args *a = &p->args;
    float sum = 0.0f;
    for (int64_t t = 0; t < a->tap_count; t++) {
        float middle = 0.0f;
        for (int32_t j = 0; j < a->mask_rows; j++)
            middle = fmaf(p->taps[j], ((const float *)p->source[y + j])[i + t * a->apart], middle);
        sum = fmaf(p->taps[a->mask_rows + t], middle + 0.0f, sum);
    }
    sum += a->bias;
    return sum > (float)a->high ? (float)a->high : sum;
}

/* Sample i of row y: in the target if it was stored there, otherwise in the result. */
static float got_at(const struct problem *p, int y, int64_t i)
{
    const struct kernel_drain *drain = &p->drains[y];
    bool there = i * 4 >= drain->first && i * 4 < drain->last;
    return ((const float *)(there ? (const void *)drain->to : p->result[y]))[i];
}

static int check(int isa, int id, struct rng *rng)
{
    static struct problem p;
    for (int n = 0; n < RUNS; n++) {
        make(&p, isa, rng);
        isa_at(isa)->kernels[id](&p.args);
        kernel_uncached_end();
        for (int y = 0; y < p.args.height; y++)
            for (int64_t i = 0; i < p.args.count; i++) {
                float want = expected(&p, y, i), got = got_at(&p, y, i);
                float slack = kernel_entry(id)->sum == KERNEL_FAST_PASSES ? 0.01f : 0.0f;
                if (got == want || (isnan(got) && isnan(want)) || fabsf(got - want) <= slack)
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
    struct rng rng = {42};
    int passed = 0, failed = 0;
    for (int r = 0; r < SOURCES; r++)
        sources[r] = guarded_new(REACH * 4);
    for (int y = 0; y < HEIGHT; y++) {
        results[y] = guarded_new(COUNT * 4);
        targets[y] = guarded_new(COUNT * 4 + 64);
    }
    for (int isa = 0; isa_at(isa); isa++) {
        if (!isa_usable(isa)) {
            printf("skipped: %s (this machine cannot run it)\n", isa_at(isa)->name);
            continue;
        }
        for (int id = KERNEL_float_passes_f32_f32; id <= KERNEL_fast_passes_f32_f32; id++)
            if (isa_at(isa)->kernels[id]) {
                int bad = check(isa, id, &rng);
                failed += bad;
                passed += !bad;
            }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
