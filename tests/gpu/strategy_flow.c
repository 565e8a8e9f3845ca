/* The commands that each strategy sends to a device: the order of its copies and launches, which of
 * them are from and to the caller's memory, its thread blocks and grid. strategy_flow [BACK_END
 * [MUST]] */
#include "swathe/unstable.h"
#include "watched.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, HEIGHT = 70, CHANNELS = 3, SAMPLES = WIDTH * HEIGHT * CHANNELS };

/* Bytes: of planes with their border, of planes, of planes without the pixels whose mask is not
 * inside, of interleaved pixels. */
enum {
    PADDED = 74 * 104 * 2,
    PLANE = 70 * 100 * 2,
    INNER = 66 * 96 * 2,
    PIXELS = 3 * PLANE,
    TABLES = 4 * (104 + 74)
};
enum { UP = 1, DOWN = 2 }; /* directions in which samples are copied from and to the caller */

static const char *arithmetic;
static int16_t source[SAMPLES], expected[SAMPLES], result[SAMPLES];
static const char *name;
static int64_t max_memory; /* limit for plans; 0: the context's */
static int passed, failed;

static const char once[] = "mask:(1 2 3 4 5; 6 7 8 9 8; 7 6 5 4 3; 2 1 2 3 4; 5 6 7 8 9):normalise";

static const struct flow {
    const char *strategy, *border;
    bool planar;        /* layout of the caller's images */
    const char *order;  /* u: upload, l: launch, d: download */
    long long up, down; /* bytes */
    int grid[3], group[3], direct;
} flows[] = {
    /* Report 001 holds planes with their border: 1channel and 3channel-3 copy them as they are, and
     * 3channel joins and separates them. Thread blocks have 1024 threads in one row. */
    {"1channel-noconst",
     "valid",
     true,
     "uldulduld",
     3 * PLANE,
     3 * INNER,
     {7, 1, 1},
     {1024, 1, 1},
     3},
    {"1channel", "valid", true, "uldulduld", 3 * PLANE, 3 * INNER, {7, 1, 1}, {1024, 1, 1}, 3},
    {"3channel", "valid", true, "uld", 3 * PLANE, 3 * INNER, {7, 1, 3}, {1024, 1, 1}, 0},
    {"3channel-grid", "valid", true, "uld", 3 * PLANE, 3 * INNER, {3, 3, 3}, {32, 32, 1}, 0},
    {"3channel-3", "valid", true, "uuulddd", 3 * PLANE, 3 * INNER, {7, 1, 1}, {1024, 1, 1}, 3},
    /* Planes without a border, or pixels, are padded for the copy. */
    {"1channel",
     "reflect",
     true,
     "uldulduld",
     3 * PADDED,
     3 * PLANE,
     {7, 1, 1},
     {1024, 1, 1},
     DOWN},
    {"3channel", "replicate", true, "uld", 3 * PADDED, 3 * PLANE, {7, 1, 3}, {1024, 1, 1}, 0},
    {"3channel-grid", "wrap", true, "uld", 3 * PADDED, 3 * PLANE, {3, 4, 3}, {32, 32, 1}, 0},
    {"3channel-3:8", "zero", false, "uuulddd", 3 * PADDED, 3 * PLANE, {110, 1, 1}, {64, 1, 1}, 0},
    {"3channel-3:8:runtime",
     "zero",
     true,
     "uuulddd",
     3 * PADDED,
     3 * PLANE,
     {110, 1, 1},
     {64, 1, 1},
     DOWN},
    /* The others: zero borders need no tables, and planes are not padded. */
    {"naive", "zero", false, "uld", PIXELS, PIXELS, {7, 5, 1}, {16, 16, 1}, 3},
    {"naive", "zero", true, "uld", PIXELS, PIXELS, {7, 5, 1}, {16, 16, 1}, 0},
    {"naive-down:runtime", "zero", false, "uld", PIXELS, PIXELS, {5, 7, 1}, {16, 16, 1}, 3},
    {"naive:planar",
     "reflect",
     true,
     "uuuld",
     3 * PLANE + TABLES,
     3 * PLANE,
     {7, 5, 1},
     {16, 16, 1},
     3},
    {"naive-inner", "zero", false, "uuuld", PIXELS + TABLES, PIXELS, {7, 5, 1}, {16, 16, 1}, 3},
    {"global", "zero", false, "uld", PIXELS, PIXELS, {7, 5, 1}, {16, 16, 1}, 3},
    {"shared:planar", "zero", true, "uld", 3 * PLANE, 3 * PLANE, {9, 6, 1}, {16, 16, 1}, 3},
    {"shared:runtime:planar", "zero", true, "uld", 3 * PLANE, 3 * PLANE, {9, 6, 1}, {16, 16, 1}, 3},
    {"cached:16:planar", "zero", true, "uld", 3 * PLANE, 3 * PLANE, {7, 5, 1}, {16, 16, 1}, 3},
    {"cached-down", "zero", false, "uld", PIXELS, PIXELS, {5, 7, 1}, {16, 16, 1}, 3},
    {"tiled:planar:16", "zero", true, "uld", 3 * PLANE, 3 * PLANE, {7, 5, 3}, {16, 16, 1}, 3},
    {"tiled:runtime:8", "zero", false, "uld", PIXELS, PIXELS, {13, 9, 3}, {8, 8, 1}, 3},
    {"tiled-interleaved", "zero", false, "uld", PIXELS, PIXELS, {7, 5, 1}, {16, 16, 1}, 3},
    {"quad", "zero", false, "uld", PIXELS, PIXELS, {7, 5, 1}, {16, 16, 1}, 3},
    /* Report 004: one launch per plane; and pixels split into planes on the device. */
    {"tiled-planar", "zero", false, "ullld", 3 * PLANE, 3 * PLANE, {7, 5, 1}, {16, 16, 1}, 0},
    {"tiled-planar", "zero", true, "ullld", 3 * PLANE, 3 * PLANE, {7, 5, 1}, {16, 16, 1}, 3},
    {"convert-tiled-planar", "zero", false, "ullllld", PIXELS, PIXELS, {7, 5, 1}, {16, 16, 1}, 3},
    {"gemm", "zero", false, "uuuld", PIXELS + TABLES, PIXELS, {2, 2, 3}, {16, 16, 1}, 3},
};

/* Two stages: the border of the second one is added on the device. */
static const struct chained {
    const char *strategy, *order;
} chains[] = {
    {"1channel", "uuullldullldullld"},
    {"3channel", "uuullld"},
    {"3channel-3", "uuuuulllllddd"},
    {"tiled-planar", "uuuuulllllld"},
    {"convert-tiled-planar", "uuuuulllllllld"},
};

static void verdict(bool good, const char *strategy, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf(
            "FAILED: %s: %s; order %s, %lld bytes up, %lld down, grid %d %d %d, group %d %d %d\n",
            strategy, what, watched.order, (long long)watched.bytes_up,
            (long long)watched.bytes_down, watched.grid[0], watched.grid[1], watched.grid[2],
            watched.group[0], watched.group[1], watched.group[2]);
}

static swathe_status run_plan(swathe_context *context, const char *chain, const char *device,
                              const struct flow *flow, int16_t *to)
{
    swathe_plan_options options = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = {0};
    swathe_image from = SWATHE_INIT(swathe_image), into = SWATHE_INIT(swathe_image);
    swathe_layout layout = flow->planar ? SWATHE_PLANAR : SWATHE_INTERLEAVED;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_chain *parsed = NULL;
    swathe_plan *plan = NULL;
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = CHANNELS;
    shape.type = SWATHE_S16;
    options.device = device;
    options.max_memory = max_memory;
    options.strategy = strcmp(device, "cpu") == 0 ? NULL : flow->strategy;
    options.algorithm = !options.strategy && arithmetic ? "reference" : NULL;
    options.arithmetic = arithmetic;
    swathe_image_init(&shape, layout, source, &from);
    swathe_status status = swathe_plan_options_set(&options, "border", flow->border);
    if (status == SWATHE_OK)
        status = swathe_chain_parse(context, chain, &parsed);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, parsed, &shape, &options, &plan);
    watched_reset();
    watched.caller[0] = (const char *)source;
    watched.caller[1] = (const char *)to;
    watched.caller_bytes = sizeof source;
    if (status == SWATHE_OK)
        status = swathe_plan_get(plan, &info);
    if (status == SWATHE_OK)
        status = swathe_image_init(&info.result, layout, to, &into);
    if (status == SWATHE_OK)
        status = swathe_run(context, plan, &from, &into, NULL);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(parsed);
    return status;
}

static void check(swathe_context *context, const char *chain, const struct flow *flow)
{
    memset(result, 0x5a, sizeof result);
    memset(expected, 0x5a, sizeof expected);
    bool good = run_plan(context, chain, "cpu", flow, expected) == SWATHE_OK &&
                run_plan(context, chain, name, flow, result) == SWATHE_OK;
    verdict(good, flow->strategy, good ? "it runs" : swathe_error_text());
    verdict(memcmp(result, expected, sizeof result) == 0, flow->strategy,
            "the same bytes as the CPU");
    verdict(strcmp(watched.order, flow->order) == 0, flow->strategy, flow->order);
    if (flow->up == 0)
        return;
    verdict(watched.bytes_up == flow->up && watched.bytes_down == flow->down, flow->strategy,
            "bytes");
    verdict(memcmp(watched.grid, flow->grid, sizeof flow->grid) == 0 &&
                memcmp(watched.group, flow->group, sizeof flow->group) == 0,
            flow->strategy, "grid and blocks");
    long long tables = watched.bytes_up - watched.direct_up; /* if samples are copied from there */
    verdict((flow->direct & UP ? tables == 0 || tables == TABLES : watched.direct_up == 0) &&
                watched.direct_down == (flow->direct & DOWN ? flow->down : 0),
            flow->strategy, "copies from and to the caller's memory");
}

int main(int argc, char **argv)
{
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_context *context = NULL;
    struct flow probe = {.strategy = "naive", .border = "zero"};
    options.threads = 1;
    options.wisdom = "off";
    name = argc > 1 ? argv[1] : "opencl";
    for (int i = 0; i < SAMPLES; i++)
        source[i] = (int16_t)(i * 7919 >> 3);
    if (!watched_install(name) || swathe_context_create(&options, &context) != SWATHE_OK ||
        run_plan(context, once, name, &probe, result) != SWATHE_OK) {
        printf("skipped: strategies on %s (%s)\n", name, swathe_error_text());
        swathe_context_destroy(context);
        return argc > 2 ? 1 : 77;
    }
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
        check(context, once, &flows[i]);
    arithmetic = "report-001"; /* of the first five */
    for (int i = 0; i < 5; i++)
        check(context, once, &flows[i]);
    arithmetic = NULL;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        struct flow flow = {.strategy = chains[i].strategy, .border = "reflect", .planar = true};
        flow.order = chains[i].order;
        check(context, "edge:clamp=-999..999,sharpen", &flow);
    }
    /* Planes take turns on the device; on the host they are all in memory at once. */
    max_memory = 150000;
    check(context, once,
          &(struct flow){.strategy = "1channel",
                         .border = "zero",
                         .planar = true,
                         .order = "uldulduld"
                                  "uldulduld"});
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
