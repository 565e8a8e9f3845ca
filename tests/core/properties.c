/* Properties of convolution with any taps: an impulse returns the mask, a sum of images gives the
 * sum of results, a shifted image a shifted result. Checked for every algorithm and instruction
 * set. */
#include "../../cli/rng.h"
#include "image/sample.h"

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
    swathe_type type;
    int exact, integer;
    double slack; /* of one result, relative to the largest sample */
};

static void verdict(int good, const char *what, const struct way *way)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s of '%s' by %s on %s, type %d%s\n", what, way->chain, way->algorithm,
               way->isa, (int)way->type, way->exact ? ", exact" : "");
}

/* A few units in the last place of 1 */
static double precision(const struct way *way)
{
    return way->type == SWATHE_F64 ? 1e-14 : 1e-6;
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
    shape.type = way->type;
    o.border = SWATHE_BORDER_WRAP;
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
        way->slack =
            way->integer ? 0.5 + stage.error_bound / 16 : 2 * stage.error_bound + precision(way);
        return 1;
    }
    swathe_plan_destroy(way->plan);
    return 0;
}

/* Filters an image whose samples are values of the type. */
static void run(const struct way *way, const double *from, double *to)
{
    static double from_samples[PIXELS], to_samples[PIXELS]; /* of any type */
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_plan_get(way->plan, &info);
    char *in = (char *)from_samples, *out = (char *)to_samples;
    int32_t size = sample_size(way->type);
    for (int i = 0; i < PIXELS; i++)
        sample_store(in + (ptrdiff_t)i * size, way->type, from[i]);
    swathe_image_init(&info.source, SWATHE_INTERLEAVED, in, &source);
    swathe_image_init(&info.result, SWATHE_INTERLEAVED, out, &result);
    if (swathe_run(context, way->plan, &source, &result, NULL) != SWATHE_OK) {
        printf("FAILED: %s: %s\n", way->chain, swathe_error_text());
        exit(1);
    }
    for (int i = 0; i < PIXELS; i++)
        to[i] = sample_load(out + (ptrdiff_t)i * size, way->type);
}

static void impulse(const struct way *way)
{
    static double from[PIXELS], to[PIXELS];
    swathe_chain *chain = NULL;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    double size = way->integer ? 1000.0 : 1.0;
    memset(from, 0, sizeof from);
    from[20 * SIDE + 20] = size;
    run(way, from, to);
    swathe_chain_parse(context, way->chain, &chain);
    swathe_chain_mask(chain, 0, 0, &mask);
    for (int j = 0; j < mask.height; j++)
        for (int i = 0; i < mask.width; i++) {
            /* correlation: tap (i, j) appears where it meets the impulse */
            int x = 20 - (i - mask.anchor_x), y = 20 - (j - mask.anchor_y);
            to[y * SIDE + x] -= size * mask.taps[j * mask.width + i];
        }
    double worst = 0.0;
    for (int i = 0; i < PIXELS; i++)
        worst = fmax(worst, fabs(to[i]));
    verdict(worst <= way->slack + precision(way) * size, "impulse response", way);
    swathe_chain_destroy(chain);
}

static void linearity(const struct way *way, struct rng *rng)
{
    static double a[PIXELS], b[PIXELS], both[PIXELS], ra[PIXELS], rb[PIXELS], rboth[PIXELS];
    double worst = 0.0;
    for (int i = 0; i < PIXELS; i++) {
        a[i] = (double)rng_between(rng, -64, 64);
        b[i] = (double)rng_between(rng, -64, 64);
        both[i] = a[i] + 2.0 * b[i];
    }
    run(way, a, ra);
    run(way, b, rb);
    run(way, both, rboth);
    for (int i = 0; i < PIXELS; i++)
        worst = fmax(worst, fabs(ra[i] + 2.0 * rb[i] - rboth[i]));
    verdict(worst <= 4 * way->slack * (way->integer ? 1.0 : 192.0), "linearity", way);
}

static void shift(const struct way *way, struct rng *rng)
{
    static double a[PIXELS], moved[PIXELS], ra[PIXELS], rmoved[PIXELS];
    /* Fast floats may be summed in another order at another position. */
    double most = way->exact || way->integer ? 0.0 : 128.0 * way->slack, worst = 0.0;
    for (int i = 0; i < PIXELS; i++)
        a[i] = (double)rng_between(rng, -64, 64) + (way->integer ? 0.0 : rng_unit(rng) / 2);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            moved[(y + 5) % SIDE * SIDE + (x + 9) % SIDE] = a[y * SIDE + x];
    run(way, a, ra);
    run(way, moved, rmoved);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            worst = fmax(worst,
                         fabs(rmoved[(y + 5) % SIDE * SIDE + (x + 9) % SIDE] - ra[y * SIDE + x]));
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

/* Results of these types can be negative, so that no clamp breaks linearity. */
static const struct {
    swathe_type type;
    int exact;
} kinds[] = {{SWATHE_F32, 1}, {SWATHE_F32, 0}, {SWATHE_S16, 0},
             {SWATHE_F64, 1}, {SWATHE_F64, 0}, {SWATHE_S32, 0}};

/* Filters without a mask are functions of one sample, and not linear; nor are joins of several
 * masks, which run as two stages. Mixes need several channels. */
static int is_linear(const char *text)
{
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_shape shape = {.width = 8, .height = 8, .channels = 1, .type = SWATHE_F32};
    swathe_status status = swathe_chain_parse(context, text, &chain);
    if (status != SWATHE_OK) {
        printf("FAILED: the example '%s': %s\n", text, swathe_error_text());
        failed++;
        return 0;
    }
    status = swathe_chain_mask(chain, 0, 0, &mask);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, chain, &shape, NULL, &plan);
    if (status == SWATHE_OK)
        status = swathe_plan_get(plan, &info);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    return status == SWATHE_OK && info.stages == 1;
}

static void check_filter(const char *text, const char *isa, int *used, struct rng *rng)
{
    swathe_table_entry algorithm = SWATHE_INIT(swathe_table_entry);
    for (int a = 0; swathe_table_get(SWATHE_TABLE_ALGORITHMS, a, &algorithm) == SWATHE_OK; a++)
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
            struct way way = {.chain = text,
                              .algorithm = algorithm.name,
                              .isa = isa,
                              .type = kinds[kind].type,
                              .exact = kinds[kind].exact,
                              .integer = !sample_is_float(kinds[kind].type)};
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
            if (isa.available && is_linear(text))
                check_filter(text, isa.name, used, &rng);
        }
        if (isa.available) /* dense, large, and a separable mask in floats */
            check_filter("gaussian:13:dense", isa.name, used, &rng);
    }
    swathe_table_entry algorithm = SWATHE_INIT(swathe_table_entry);
    for (int a = 0; swathe_table_get(SWATHE_TABLE_ALGORITHMS, a, &algorithm) == SWATHE_OK; a++) {
        /* toeplitz needs AMX; banded also u8 samples, whose results cannot be negative; map and
         * join apply to filters that are not linear, weigh, divide and weighted to images with
         * weights. */
        static const char *const others[] = {"toeplitz", "banded", "map",     "join",
                                             "weigh",    "divide", "weighted"};
        int must = algorithm.available;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            must &= strcmp(algorithm.name, others[i]) != 0;
        if (!used[a])
            printf("%s: %s (applies to none of these problems here)\n", must ? "FAILED" : "skipped",
                   algorithm.name);
        failed += must && !used[a];
    }
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
