/* Fast floats up to the range that docs/numerics.md states: Σ|k|·m + |bias| of at most 2^127, or
 * 2^1023 for f64, where m is the largest |sample|. Results of every algorithm are finite there, and
 * within the stated bound of the definition. */
#include "../../cli/rng.h"
#include "image/sample.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64, PIXELS = SIDE * SIDE, MASK_MOST = 17 };

static swathe_context *context;
static swathe_type type;
static double from[PIXELS], fast[PIXELS], slow[PIXELS]; /* samples of either type */
static int passed, failed;

static swathe_plan *make_plan(const swathe_chain *chain, const char *algorithm)
{
    swathe_shape shape = {0};
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_plan *plan = NULL;
    shape.width = shape.height = SIDE;
    shape.channels = 1;
    shape.type = type;
    o.algorithm = algorithm;
    o.accuracy = 1e-3;
    swathe_plan_create(context, chain, &shape, &o, &plan);
    return plan;
}

static void run(const swathe_plan *plan, double *to)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_plan_get(plan, &info);
    swathe_image_init(&info.source, SWATHE_INTERLEAVED, from, &source);
    swathe_image_init(&info.result, SWATHE_INTERLEAVED, to, &result);
    if (swathe_run(context, plan, &source, &result, NULL) != SWATHE_OK)
        exit(1);
}

static void *sample_at(double *samples, int i)
{
    return (char *)samples + (ptrdiff_t)i * sample_size(type);
}

/* Samples of both signs, most of them at the limit. */
static void fill(double most, struct rng *rng)
{
    double largest = most;
    if (type == SWATHE_F32)
        largest = (double)(float)most > most ? (double)nextafterf((float)most, 0.0f) : (float)most;
    for (int i = 0; i < PIXELS; i++) {
        double sign = rng_once_in(rng, 2) ? -1.0 : 1.0;
        sample_store(sample_at(from, i), type,
                     rng_once_in(rng, 4) ? largest * rng_unit(rng) : sign * largest);
    }
}

static int check(const swathe_chain *chain, const char *algorithm, double gain, struct rng *rng)
{
    double most =
        type == SWATHE_F32 ? fmin(0x1p127 / gain, (double)FLT_MAX) : fmin(0x1p1023 / gain, DBL_MAX);
    swathe_plan *plan = make_plan(chain, algorithm), *reference = make_plan(chain, "reference");
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info), by = SWATHE_INIT(swathe_stage_info);
    int fits = plan && swathe_plan_stage(plan, 0, &stage) == SWATHE_OK &&
               strcmp(stage.algorithm, algorithm) == 0;
    if (fits) {
        double worst = 0.0;
        swathe_plan_stage(reference, 0, &by);
        fill(most, rng);
        run(plan, fast);
        run(reference, slow);
        for (int i = 0; i < PIXELS; i++) {
            double error =
                fabs(sample_load(sample_at(fast, i), type) - sample_load(sample_at(slow, i), type));
            worst = isfinite(error) ? fmax(worst, error) : INFINITY;
        }
        int good = worst <= (stage.error_bound + by.error_bound) * most;
        passed += good;
        failed += !good;
        if (!good)
            printf("FAILED: %.80s of %s by %s: off by %g, the bound is %g\n", stage.text,
                   sample_entry(type)->name, algorithm, worst, stage.error_bound * most);
    }
    swathe_plan_destroy(reference);
    swathe_plan_destroy(plan);
    return fits;
}

/* Masks with taps of both signs and any magnitude, some of them of low rank. */
static swathe_chain *make_chain(struct rng *rng, double *gain)
{
    static double taps[MASK_MOST * MASK_MOST];
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    swathe_chain *chain = NULL;
    double scale = ldexp(1.0, (int)rng_between(rng, -8, 8));
    mask.width = (int32_t)rng_between(rng, 1, MASK_MOST);
    mask.height = (int32_t)rng_between(rng, 1, MASK_MOST);
    mask.taps = taps;
    double row[MASK_MOST], column[MASK_MOST];
    int product = rng_once_in(rng, 2);
    for (int i = 0; i < MASK_MOST; i++) {
        row[i] = rng_unit(rng) - 0.5;
        column[i] = rng_unit(rng) - 0.5;
    }
    *gain = 0.0;
    for (int i = 0; i < mask.width * mask.height; i++) {
        double noise = rng_unit(rng) - 0.5;
        taps[i] = scale * (product ? row[i % mask.width] * column[i / mask.width] : noise);
        *gain += fmax(fabs((double)(float)taps[i]), fabs(taps[i]));
    }
    swathe_chain_parse(context, "", &chain);
    if (swathe_chain_append_mask(context, chain, &mask, 1, NULL) != SWATHE_OK)
        exit(1);
    return chain;
}

int main(void)
{
    enum { COUNT = 4, F32_ONLY = 2 };
    static const char *const algorithms[COUNT] = {"factored", "low-rank", "direct", "fourier"};
    struct rng rng = {11};
    int fits[2][COUNT] = {{0}};
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    for (int n = 0; n < 300; n++) {
        double gain;
        type = n % 2 ? SWATHE_F64 : SWATHE_F32;
        swathe_chain *chain = make_chain(&rng, &gain);
        for (int a = 0; a < COUNT && gain > 0.0; a++)
            fits[n % 2][a] += check(chain, algorithms[a], gain, &rng);
        swathe_chain_destroy(chain);
    }
    for (int is_f64 = 0; is_f64 < 2; is_f64++)
        for (int a = is_f64 ? F32_ONLY : 0; a < COUNT; a++) {
            bool none = fits[is_f64][a] == 0;
            failed += none;
            if (none)
                printf("FAILED: %s applies to no problem of f%d\n", algorithms[a],
                       is_f64 ? 64 : 32);
        }
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
