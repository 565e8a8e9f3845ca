/* Properties of convolution with any taps: an impulse returns the mask, a sum of images gives the
 * sum of results, a shifted image a shifted result. Checked for every algorithm and instruction
 * set. */
#include "../../cli/rng.h"
#include "swathe/swathe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 41, PIXELS = SIDE * SIDE };

static swathe_context *context;
static int passed, failed;

/* How a chain runs: with one algorithm, and exact floats, fast floats or integers. */
struct way {
    const char *chain, *algorithm, *isa;
    swathe_plan *plan;
    int exact, integer;
    double slack; /* of one result, relative to the largest sample */
};

static void verdict(int good, const char *what, const struct way *way)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s of '%s' by %s on %s%s\n", what, way->chain, way->algorithm, way->isa,
               way->integer ? ", integers"
               : way->exact ? ", exact"
                            : "");
}

/* A plan that uses the algorithm, with border wrap so that shifts are exact; false if the algorithm
 * does not apply. */
static int make_way(struct way *way)
{
    swathe_shape shape = {0};
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    swathe_chain *chain = NULL;
    shape.width = shape.height = SIDE;
    shape.channels = 1;
    shape.type = way->integer ? SWATHE_S16 : SWATHE_F32;
    o.border = "wrap";
    o.isa = way->isa;
    o.exact = way->exact;
    o.algorithm = way->algorithm;
    way->plan = NULL;
    if (swathe_chain_parse(context, way->chain, &chain) != SWATHE_OK ||
        swathe_plan_create(context, chain, &shape, &o, &way->plan) != SWATHE_OK ||
        swathe_plan_stage(way->plan, 0, &stage) != SWATHE_OK) {
        printf("FAILED: %s: %s\n", way->chain, swathe_error_text());
        exit(1);
    }
    swathe_chain_destroy(chain);
    if (strcmp(stage.algorithm, way->algorithm) == 0) {
        /* integers: half a unit, and the error of rounded taps for samples below 2^11 */
        way->slack = way->integer ? 0.5 + stage.error_bound / 16 : 2 * stage.error_bound + 1e-6;
        return 1;
    }
    swathe_plan_destroy(way->plan);
    return 0;
}

/* Filters an image; integers are whole numbers. */
static void run(const struct way *way, const float *from, float *to)
{
    static int16_t from_integers[PIXELS], to_integers[PIXELS];
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_plan_get(way->plan, &info);
    for (int i = 0; i < PIXELS; i++)
        from_integers[i] = (int16_t)from[i];
    swathe_image_init(&info.source, SWATHE_INTERLEAVED,
                      way->integer ? (void *)from_integers : (void *)(uintptr_t)from, &source);
    swathe_image_init(&info.result, SWATHE_INTERLEAVED,
                      way->integer ? (void *)to_integers : (void *)to, &result);
    if (swathe_run(context, way->plan, &source, &result, NULL) != SWATHE_OK) {
        printf("FAILED: %s: %s\n", way->chain, swathe_error_text());
        exit(1);
    }
    for (int i = 0; way->integer && i < PIXELS; i++)
        to[i] = (float)to_integers[i];
}

static void impulse(const struct way *way)
{
    static float from[PIXELS], to[PIXELS];
    swathe_chain *chain = NULL;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    double size = way->integer ? 1000.0 : 1.0;
    memset(from, 0, sizeof from);
    from[20 * SIDE + 20] = (float)size;
    run(way, from, to);
    swathe_chain_parse(context, way->chain, &chain);
    swathe_chain_mask(chain, 0, 0, &mask);
    for (int j = 0; j < mask.height; j++)
        for (int i = 0; i < mask.width; i++) {
            /* correlation: tap (i, j) appears where it meets the impulse */
            int x = 20 - (i - mask.anchor_x), y = 20 - (j - mask.anchor_y);
            to[y * SIDE + x] -= (float)(size * mask.taps[j * mask.width + i]);
        }
    double worst = 0.0;
    for (int i = 0; i < PIXELS; i++)
        worst = fmax(worst, fabs((double)to[i]));
    verdict(worst <= way->slack + 1e-6 * size, "impulse response", way);
    swathe_chain_destroy(chain);
}

static void linearity(const struct way *way, struct rng *rng)
{
    static float a[PIXELS], b[PIXELS], both[PIXELS], ra[PIXELS], rb[PIXELS], rboth[PIXELS];
    double worst = 0.0;
    for (int i = 0; i < PIXELS; i++) {
        a[i] = (float)rng_between(rng, -64, 64);
        b[i] = (float)rng_between(rng, -64, 64);
        both[i] = a[i] + 2.0f * b[i];
    }
    run(way, a, ra);
    run(way, b, rb);
    run(way, both, rboth);
    for (int i = 0; i < PIXELS; i++)
        worst = fmax(worst, fabs((double)ra[i] + 2.0 * (double)rb[i] - (double)rboth[i]));
    verdict(worst <= 4 * way->slack * (way->integer ? 1.0 : 192.0), "linearity", way);
}

static void shift(const struct way *way, struct rng *rng)
{
    static float a[PIXELS], moved[PIXELS], ra[PIXELS], rmoved[PIXELS];
    /* Fast floats may be summed in another order at another position. */
    double most = way->exact || way->integer ? 0.0 : 128.0 * way->slack, worst = 0.0;
    for (int i = 0; i < PIXELS; i++)
        a[i] = (float)rng_between(rng, -64, 64) + (way->integer ? 0.0f : (float)rng_unit(rng) / 2);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            moved[(y + 5) % SIDE * SIDE + (x + 9) % SIDE] = a[y * SIDE + x];
    run(way, a, ra);
    run(way, moved, rmoved);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            worst = fmax(worst, fabs((double)rmoved[(y + 5) % SIDE * SIDE + (x + 9) % SIDE] -
                                     (double)ra[y * SIDE + x]));
    verdict(worst <= most, "shift", way);
}

/* Checks the algorithm if it applies; returns whether it did. */
static int check(struct way *way, struct rng *rng)
{
    if (!make_way(way))
        return 0;
    impulse(way);
    linearity(way, rng);
    shift(way, rng);
    swathe_plan_destroy(way->plan);
    return 1;
}

static void check_filter(const char *text, const char *isa, int *used, struct rng *rng)
{
    swathe_table_entry algorithm = SWATHE_INIT(swathe_table_entry);
    for (int a = 0; swathe_table_get(SWATHE_TABLE_ALGORITHMS, a, &algorithm) == SWATHE_OK; a++)
        for (int kind = 0; kind < 3; kind++) {
            struct way way = {.chain = text,
                              .algorithm = algorithm.name,
                              .isa = isa,
                              .exact = kind == 0,
                              .integer = kind == 2};
            used[a] += check(&way, rng);
        }
}

int main(void)
{
    struct rng rng = {3};
    int used[64] = {0};
    swathe_table_entry filter = SWATHE_INIT(swathe_table_entry),
                       isa = SWATHE_INIT(swathe_table_entry);
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    for (int i = 0; swathe_table_get(SWATHE_TABLE_ISAS, i, &isa) == SWATHE_OK; i++) {
        for (int f = 0; swathe_table_get(SWATHE_TABLE_FILTERS, f, &filter) == SWATHE_OK; f++) {
            char text[200]; /* the table's own example, without the options that shift its
                             * results */
            snprintf(text, sizeof text, "%s", filter.example);
            if (strstr(text, ":bias="))
                *strstr(text, ":bias=") = '\0';
            if (isa.available)
                check_filter(text, isa.name, used, &rng);
        }
        if (isa.available) /* dense, large, and a separable mask in floats */
            check_filter("gaussian:13:dense", isa.name, used, &rng);
    }
    swathe_table_entry algorithm = SWATHE_INIT(swathe_table_entry);
    for (int a = 0; swathe_table_get(SWATHE_TABLE_ALGORITHMS, a, &algorithm) == SWATHE_OK; a++) {
        /* toeplitz needs AMX; banded also u8 samples, whose results cannot be negative. */
        int must = algorithm.available && strcmp(algorithm.name, "toeplitz") != 0 &&
                   strcmp(algorithm.name, "banded") != 0;
        if (!used[a])
            printf("%s: %s (applies to none of these problems here)\n", must ? "FAILED" : "skipped",
                   algorithm.name);
        failed += must && !used[a];
    }
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
