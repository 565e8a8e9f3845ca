/* Counts of clamped results are those of the same chain in a wider type, and do not depend on
 * threads, cells, spans and streaming. */
#include "../../cli/rng.h"
#include "swathe/swathe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static void verdict(int good, const char *chain, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", chain, what);
}

struct bench {
    swathe_context *context;
    swathe_shape source;
    const char *nodata, *algorithm;
    void *from, *to;
};

static int run(struct bench *b, const char *chain, swathe_type type, swathe_run_options *o,
               swathe_plan_info *info)
{
    swathe_chain *parsed = NULL;
    swathe_plan *plan = NULL;
    swathe_image from, to;
    swathe_plan_options wanted = SWATHE_INIT(swathe_plan_options);
    wanted.type = type;
    wanted.values = SWATHE_VALUES_KEEP;
    wanted.nodata = b->nodata;
    wanted.algorithm = b->algorithm;
    from = SWATHE_INIT(swathe_image);
    to = SWATHE_INIT(swathe_image);
    int good = swathe_chain_parse(b->context, chain, &parsed) == SWATHE_OK &&
               swathe_plan_create(b->context, parsed, &b->source, &wanted, &plan) == SWATHE_OK &&
               swathe_plan_get(plan, info) == SWATHE_OK &&
               swathe_image_init(&b->source, SWATHE_INTERLEAVED, b->from, &from) == SWATHE_OK &&
               swathe_image_init(&info->result, SWATHE_INTERLEAVED, b->to, &to) == SWATHE_OK &&
               swathe_run(b->context, plan, &from, &to, o) == SWATHE_OK;
    verdict(good, chain, good ? "" : swathe_error_text());
    swathe_plan_destroy(plan);
    swathe_chain_destroy(parsed);
    return good;
}

static int same(const swathe_clamped *a, const swathe_clamped *b)
{
    return a->examined == b->examined && a->below == b->below && a->above == b->above;
}

static void print(const char *which, const swathe_clamped *c)
{
    printf("  %s: examined %" PRId64 ", below %" PRId64 ", above %" PRId64 "\n", which, c->examined,
           c->below, c->above);
}

/* Small images: every sample is examined. */
static void check_exact(struct bench *b, const char *chain, struct rng *rng)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_clamped want = SWATHE_INIT(swathe_clamped), got = want;
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    if (!run(b, chain, SWATHE_S16, NULL, &info))
        return;
    want.examined = info.result.width * info.result.height * info.result.channels;
    for (int64_t i = 0; i < want.examined; i++) {
        want.below += ((int16_t *)b->to)[i] < 0;
        want.above += ((int16_t *)b->to)[i] > 255;
    }
    for (int n = 0; n < 4; n++) {
        o.clamped = &got;
        o.threads = n ? (int32_t)rng_between(rng, 1, 3) : 1;
        o.cell_rows = n ? rng_between(rng, 1, 20) : 0;
        o.span_columns = n ? rng_between(rng, 5, 60) : 0;
        if (!run(b, chain, SWATHE_TYPE_DEFAULT, &o, &info))
            return;
        verdict(same(&got, &want), chain, "the counts are not those of type s16");
        if (!same(&got, &want)) {
            print("must be", &want);
            print("is", &got);
        }
    }
}

/* Large images: some samples are examined, and results bypass the caches. */
static void check_share(struct bench *b, const char *chain)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_clamped all = SWATHE_INIT(swathe_clamped), one = all, got = all;
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    if (!run(b, chain, SWATHE_S16, NULL, &info))
        return;
    all.examined = info.result.width * info.result.height * info.result.channels;
    for (int64_t i = 0; i < all.examined; i++)
        all.below += ((int16_t *)b->to)[i] < 0;
    o.clamped = &one;
    o.threads = 1;
    run(b, chain, SWATHE_TYPE_DEFAULT, &o, &info);
    double share = (double)one.below / (double)one.examined;
    double exact = (double)all.below / (double)all.examined;
    verdict(one.examined > 50000 && one.examined * 8 < all.examined, chain,
            "examined too much or too little");
    verdict(share > exact - 0.01 && share < exact + 0.01, chain, "the share is wrong");
    o.clamped = &got;
    o.threads = 2;
    o.cell_rows = 77;
    o.span_columns = 501;
    run(b, chain, SWATHE_TYPE_DEFAULT, &o, &info);
    verdict(same(&one, &got), chain, "the counts depend on threads, cells or spans");
}

/* Floats that may be missing: one stage counts what its three count. */
static void check_missing(struct bench *b, const char *chain, struct rng *rng)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_clamped three = SWATHE_INIT(swathe_clamped), one = three;
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    b->source.type = SWATHE_F32;
    for (int64_t i = 0; i < b->source.width * b->source.height * b->source.channels; i++)
        ((float *)b->from)[i] = rng_once_in(rng, 5) ? NAN : (float)rng_between(rng, 0, 255);
    b->nodata = "nan";
    b->algorithm = "two-pass";
    o.clamped = &three;
    run(b, chain, SWATHE_TYPE_DEFAULT, &o, &info);
    b->algorithm = "weighted";
    o.clamped = &one;
    run(b, chain, SWATHE_TYPE_DEFAULT, &o, &info);
    verdict(one.below > 0 && one.above > 0 && same(&one, &three), chain,
            "weighted does not count like three stages");
}

int main(void)
{
    static const char *const chains[] = {
        "sobel-x",
        "sharpen:3",
        "edge",
        "laplacian:8:bias=90.5",
        "emboss:border=wrap",
        "gaussian:9:bias=100",
        "gaussian:5x9:bias=-40:dilate=2",
        "box:5:bias=-80",
        "box:3x31:bias=60.25",
        "unsharp:amount=3",
        "mask:(0.3 -1.7; 2.2 -0.4):anchor=0x1",
        "mask:(1 0 -1):(3 -1 2):(0.5 0.25 -2)",
        "gaussian:3,sharpen:5:border=valid",
        "mix:(2 -1 0.5; 0.2 1 0.3)",
        "gradient:scharr",
        "mask:(1 -1):(1; -1):(2 2):join=sum",
    };
    static const char *const never[] = {"identity",         "gaussian:5", "box:7",        "disk",
                                        "sobel-x:type=s16", "grey",       "edge:type=f32"};
    struct rng rng = {11};
    struct bench b = {.source = {.width = 2300, .height = 2000, .channels = 3, .type = SWATHE_U8}};
    int64_t most = b.source.width * b.source.height * 3;
    b.from = malloc((size_t)most);
    b.to = malloc((size_t)(4 * most));
    if (!b.from || !b.to || swathe_context_create(NULL, &b.context) != SWATHE_OK)
        return 99;
    for (int64_t i = 0; i < most; i++)
        ((uint8_t *)b.from)[i] = (uint8_t)rng_next(&rng);
    check_share(&b, "sobel-x");
    check_share(&b, "edge,gaussian:3,laplacian");
    b.source.width = 61;
    b.source.height = 43;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        check_exact(&b, chains[i], &rng);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        swathe_clamped got = SWATHE_INIT(swathe_clamped);
        swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
        swathe_run_options o = SWATHE_INIT(swathe_run_options);
        o.clamped = &got;
        run(&b, never[i], SWATHE_TYPE_DEFAULT, &o, &info);
        verdict(got.examined == 0, never[i], "cannot be clamped, but was examined");
    }
    check_missing(&b, "gaussian:5:clamp=120..130", &rng);
    check_missing(&b, "box:3x7:border=missing:clamp=120..130", &rng);
    swathe_context_destroy(b.context);
    free(b.to);
    free(b.from);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
