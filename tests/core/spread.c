/* NaN and infinity spread through the nonzero taps only, with any algorithm: fast results are not
 * finite exactly where the exact ones are not, and have the same values there. */
#include "../../cli/rng.h"
#include "swathe/swathe.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 83, HEIGHT = 61, PIXELS = WIDTH * HEIGHT, SIDE = 16 };

static swathe_context *context;
static int passed, failed, by_low_rank;

static swathe_plan *make_plan(const swathe_chain *chain, const char *algorithm, const char *isa)
{
    swathe_shape shape = {0};
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_plan *plan = NULL;
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 1;
    shape.type = SWATHE_F32;
    o.algorithm = algorithm;
    o.isa = isa;
    o.exact = algorithm == NULL;
    if (swathe_plan_create(context, chain, &shape, &o, &plan) != SWATHE_OK) {
        printf("FAILED: %s\n", swathe_error_text());
        exit(1);
    }
    return plan;
}

static void run(const swathe_plan *plan, const float *from, float *to)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_plan_get(plan, &info);
    swathe_image_init(&info.source, SWATHE_INTERLEAVED, (void *)(uintptr_t)from, &source);
    swathe_image_init(&info.result, SWATHE_INTERLEAVED, to, &result);
    if (swathe_run(context, plan, &source, &result, NULL) != SWATHE_OK) {
        printf("FAILED: %s\n", swathe_error_text());
        exit(1);
    }
}

/* Finite results may differ by the sum of both plans' bounds, times the largest sample. */
static int agree(const float *got, const float *want, double allowed)
{
    for (int i = 0; i < PIXELS; i++) {
        double a = (double)got[i], b = (double)want[i];
        if (isnan(b) ? !isnan(a) : isinf(b) ? a != b : !(fabs(a - b) <= allowed))
            return 0;
    }
    return 1;
}

static void check(const char *name, const swathe_chain *chain, const char *algorithm,
                  const char *isa, const float *from, double largest)
{
    static float want[PIXELS], got[PIXELS];
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
            printf("FAILED: %s by %s on %s\n", name, algorithm, isa);
    }
    swathe_plan_destroy(exact);
    swathe_plan_destroy(plan);
}

static void check_all(const char *name, const swathe_chain *chain, const float *from,
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
static double fill(struct rng *rng, int special, float *samples)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1e30f};
    for (int i = 0; i < PIXELS; i++)
        samples[i] = (float)rng_unit(rng);
    for (int n = 0; special && n < 4; n++)
        samples[rng_between(rng, 0, PIXELS - 1)] = odd[rng_between(rng, 0, 3)];
    return special ? 1e30 : 1.0;
}

static void check_text(const char *text, const float *from, double largest)
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
static void check_quarters(double low, double rest, const char *options, const float *from,
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
    static float samples[PIXELS];
    struct rng rng = {5};
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    for (int round = 0; round < 20; round++) {
        double largest = fill(&rng, round > 0, samples);
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
