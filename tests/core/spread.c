/* NaN and infinity spread through the nonzero taps only, with any algorithm: fast results are not
 * finite exactly where the exact ones are not, and have the same values there. */
#include "../../cli/rng.h"
#include "image/sample.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 83, HEIGHT = 61, PIXELS = WIDTH * HEIGHT, SIDE = 16 };

static swathe_context *context;
static swathe_type type;
static int passed, failed, by_low_rank;

static swathe_plan *make_plan(const swathe_chain *chain, const char *algorithm, const char *isa)
{
    swathe_shape shape = {0};
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_plan *plan = NULL;
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 1;
    shape.type = type;
    o.algorithm = algorithm;
    o.isa = isa;
    o.exact = algorithm == NULL;
    if (swathe_plan_create(context, chain, &shape, &o, &plan) != SWATHE_OK) {
        printf("FAILED: %s\n", swathe_error_text());
        exit(1);
    }
    return plan;
}

static void run(const swathe_plan *plan, const double *from, double *to)
{
    static double from_samples[PIXELS], to_samples[PIXELS]; /* of either type */
    char *in = (char *)from_samples, *out = (char *)to_samples;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_plan_get(plan, &info);
    for (int i = 0; i < PIXELS; i++)
        sample_store(in + (ptrdiff_t)i * sample_size(type), type, from[i]);
    swathe_image_init(&info.source, SWATHE_INTERLEAVED, in, &source);
    swathe_image_init(&info.result, SWATHE_INTERLEAVED, out, &result);
    if (swathe_run(context, plan, &source, &result, NULL) != SWATHE_OK) {
        printf("FAILED: %s\n", swathe_error_text());
        exit(1);
    }
    for (int i = 0; i < PIXELS; i++)
        to[i] = sample_load(out + (ptrdiff_t)i * sample_size(type), type);
}

/* Finite results may differ by the sum of both plans' bounds, times the largest sample. */
static int agree(const double *got, const double *want, double allowed)
{
    for (int i = 0; i < PIXELS; i++) {
        double a = got[i], b = want[i];
        if (isnan(b) ? !isnan(a) : isinf(b) ? a != b : !(fabs(a - b) <= allowed))
            return 0;
    }
    return 1;
}

static void check(const char *name, const swathe_chain *chain, const char *algorithm,
                  const char *isa, const double *from, double largest)
{
    static double want[PIXELS], got[PIXELS];
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    swathe_plan_info exact_info = SWATHE_INIT(swathe_plan_info), info = exact_info;
    swathe_plan *exact = make_plan(chain, NULL, isa), *plan = make_plan(chain, algorithm, isa);
    swathe_plan_stage(plan, 0, &stage);
    if (strcmp(stage.algorithm, algorithm) == 0) {
        swathe_plan_get(exact, &exact_info);
        swathe_plan_get(plan, &info);
        run(exact, from, want);
        run(plan, from, got);
        int good = agree(got, want, (exact_info.error_bound + info.error_bound) * largest);
        passed += good;
        failed += !good;
        by_low_rank += strcmp(algorithm, "low-rank") == 0;
        if (!good)
            printf("FAILED: %s of %s by %s on %s\n", name, sample_entry(type)->name, algorithm,
                   isa);
    }
    swathe_plan_destroy(exact);
    swathe_plan_destroy(plan);
}

static void check_all(const char *name, const swathe_chain *chain, const double *from,
                      double largest)
{
    swathe_table_entry algorithm = SWATHE_INIT(swathe_table_entry),
                       isa = SWATHE_INIT(swathe_table_entry);
    for (int i = 0; swathe_table_get(SWATHE_TABLE_ISAS, i, &isa) == SWATHE_OK; i++)
        for (int a = 0; swathe_table_get(SWATHE_TABLE_ALGORITHMS, a, &algorithm) == SWATHE_OK; a++)
            if (isa.available && strcmp(algorithm.name, "reference") != 0)
                check(name, chain, algorithm.name, isa.name, from, largest);
}

/* Sets special values so rarely that most results stay finite. */
static double fill(struct rng *rng, int special, double *samples)
{
    double large = type == SWATHE_F32 ? (double)1e30f : 1e300;
    double odd[] = {NAN, INFINITY, -INFINITY, large};
    for (int i = 0; i < PIXELS; i++)
        samples[i] = rng_unit(rng);
    for (int n = 0; special && n < 4; n++)
        samples[rng_between(rng, 0, PIXELS - 1)] = odd[rng_between(rng, 0, 3)];
    return special ? large : 1.0;
}

static void check_text(const char *text, const double *from, double largest)
{
    swathe_chain *chain = NULL;
    if (swathe_chain_parse(context, text, &chain) != SWATHE_OK) {
        printf("FAILED: %s\n", swathe_error_text());
        exit(1);
    }
    check_all(text, chain, from, largest);
    swathe_chain_destroy(chain);
}

/* A mask of rank two: ones at the top left, `low` at the bottom right, `rest` elsewhere. */
static void check_quarters(double low, double rest, const char *options, const double *from,
                           double largest)
{
    char text[SIDE * SIDE * 10] = "mask:(";
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            bool above = y < SIDE / 2, left = x < SIDE / 2;
            double tap = above && left ? 1.0 : !above && !left ? low : rest;
            size_t end = strlen(text);
            snprintf(text + end, sizeof text - end, "%g%s", tap, x + 1 < SIDE ? " " : "; ");
        }
    size_t end = strlen(text) - 2;
    snprintf(text + end, sizeof text - end, ")%s", options);
    check_text(text, from, largest);
}

int main(void)
{
    static double samples[PIXELS];
    struct rng rng = {5};
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    for (int round = 0; round < 40; round++) {
        type = round % 2 ? SWATHE_F64 : SWATHE_F32;
        double largest = fill(&rng, round > 1, samples);
        check_quarters(1.0, 0.0, ":dilate=1x2", samples, largest);
        check_quarters(-0.7, 0.0, ":clamp=-3..4", samples, largest);
        check_quarters(0.3, -0.5, ":bias=0.25", samples, largest);
        check_text("box:9", samples, largest);
        check_text("log:sigma=2", samples, largest);
        check_text("disk:7", samples, largest);
    }
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || by_low_rank == 0;
}
