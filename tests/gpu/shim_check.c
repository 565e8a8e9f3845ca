/* Every strategy and every kernel of the production path on the CPU, compared with the reference.
 *
 *     shim_check INCLUDE_DIR FLAGS [SHARE OF]
 *
 * runs part SHARE of OF parts of the cases.
 * SWATHE_PLANT=race|read|divergence|float|order|planes|root|weights|rounded|rows first plants a bug
 * into the kernels' text, which the sanitizers, the shim or the comparison must find: from `float`
 * on sums of doubles in floats, and in another order; a join of the wrong planes; a square root
 * that is not rounded; the weights of another plane; sums of report 001 rounded instead of
 * truncated, and those of report 002 row by row. */
#include "shim_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int share, shares = 1, done, refused, failures, number;

static const char *const borders[] = {"zero",       "constant(7)", "replicate", "reflect",
                                      "reflect101", "wrap",        "valid"};
static const swathe_type types[] = {SWATHE_U8,  SWATHE_U16, SWATHE_S16, SWATHE_F32,
                                    SWATHE_F64, SWATHE_U32, SWATHE_S32};
enum { TYPES = sizeof types / sizeof *types };

static struct gpu_limits limits_of(int32_t group)
{
    return (struct gpu_limits){.local = 48 << 10,
                               .constant = 64 << 10,
                               .group = group,
                               .group_side = {group, group, 64},
                               .grid = {INT32_MAX, 65535, 65535},
                               .fma = true,
                               .denormals = true,
                               .doubles = true};
}

/* In one launch, or in several launches of whole tiles. */
static void run_case(const struct gpu_wish *wish, const struct gpu_limits *limits, bool in_parts)
{
    struct gpu_case made;
    if (!gpu_case_make(wish, limits, &made)) {
        refused++;
        return;
    }
    shim_run(&made, in_parts ? 2 * made.stage.tile[1] : made.task.height);
    failures += !gpu_case_check(wish, &made);
    done++;
    gpu_case_free(&made);
}

/* One program with all borders: odd sizes, and an inner rectangle. */
static void run_borders(struct gpu_wish wish, const struct gpu_limits *limits, bool large)
{
    static const struct {
        int64_t width, height;
        swathe_rect rect;
        bool in_parts;
    } sizes[] = {{17, 13, {0, 0, 0, 0}, false},
                 {1, 1, {0, 0, 0, 0}, false},
                 {71, 37, {0, 0, 0, 0}, true},
                 {90, 41, {3, 2, 83, 35}, false}};
    if (number++ % shares != share)
        return;
    for (size_t b = 0; b < sizeof borders / sizeof *borders; b++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            bool valid = strcmp(borders[b], "valid") == 0;
            if ((valid && s != 3) || (!valid && !large && s == 1 + b % 3))
                continue;
            wish.border = borders[b];
            wish.width = sizes[s].width;
            wish.height = sizes[s].height;
            wish.rect = valid ? (swathe_rect){0, 0, 0, 0} : sizes[s].rect;
            wish.seed = (uint64_t)number * 100 + b * 10 + s;
            run_case(&wish, limits, sizes[s].in_parts);
        }
}

static void check_strategies(void)
{
    static const char *const chains[] = {"mask:(0 1 -2; 3 0.5 0; 0.125 -0.25 0.75):anchor=0x2",
                                         "mask:(1 2 3; 4 5 0; 7 8 9; -1 0 2):dilate=2x1:bias=3"};
    struct gpu_limits limits = limits_of(64);
    for (int i = 1; gpu_strategy_at(i); i++)
        for (size_t t = 0; t < TYPES - 2; t++) /* 32-bit samples are computed in doubles, too */
            for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
                const struct gpu_strategy *strategy = gpu_strategy_at(i);
                struct gpu_wish wish = {.chain = chains[k],
                                        .channels = 3,
                                        .alpha = k == 1 ? 3 : 0,
                                        .type = types[t],
                                        .strategy = strategy->name,
                                        .block = 8,
                                        .planar = strategy->planar >= 0 ? strategy->planar == 1
                                                                        : (t + k) % 2};
                run_borders(wish, &limits, false);
                wish.runtime = true;
                if (gpu_strategy_has_runtime(strategy) && (t + k) % 2 == 0)
                    run_borders(wish, &limits, false);
            }
}

/* The arithmetic of reports: of every strategy that has it, compiled for the mask or not. */
static void check_arithmetic(void)
{
    struct gpu_limits limits = limits_of(64);
    for (int i = 1; gpu_strategy_at(i); i++)
        for (int n = 0; n < 4; n++) {
            const struct gpu_strategy *strategy = gpu_strategy_at(i);
            bool products = strategy->shape == GPU_SHAPE_PRODUCTS;
            struct gpu_wish wish = {
                .chain = n % 2 ? "mask:(0 1 -2; 3 0.5 0; 0.125 -0.25 0.75)" : "gaussian:5:dense",
                .channels = 3,
                .type = products ? SWATHE_F32 : SWATHE_S16,
                .arithmetic = products ? ARITHMETIC_report_002 : ARITHMETIC_report_001,
                .strategy = strategy->name,
                .block = 8,
                .planar = strategy->planar >= 0 ? strategy->planar == 1 : n % 2,
                .runtime = n > 1};
            if (!wish.runtime || gpu_strategy_has_runtime(strategy))
                run_borders(wish, &limits, false);
        }
}

/* Chains and the layout of their images: 'i' interleaved, 'p' planar, 'b' both. */
static const struct {
    const char *chain;
    char layout;
    int32_t channels, alpha;
} productions[] = {
    {"sharpen", 'b', 3, 0},
    {"mask:(1 2 3 4 5; 2 3 4 5 6; -3 4 5 6 7; 4 5 -6 7 8; 5 6 7 8 9.5):normalise", 'b', 3, 0},
    {"mask:(1 2 3 4 5; 2 3 4 5 6; -3 4 5 6 7):normalise:bias=-3.25:clamp=-20..99", 'i', 4, 0},
    {"gaussian:9:dense", 'b', 1, 0},
    {"gaussian:17x3:dense", 'i', 3, 0},
    {"mask:(0.5)", 'i', 2, 0},
    {"mask:(1 2; 3 4):anchor=1x0:dilate=3x2", 'b', 3, 0},
    {"mask:(1 2; 3 4):dilate=1x20", 'p', 1, 0},
    {"mask:(1 0 -1; 2 0 -2; 1 0 -1):(1 2 3; 4 -5 6; 7 8 9):(0 0 0; 0 1 0; 0 0 0)", 'p', 3, 0},
    {"mask:(1 0 -1; 2 0 -2; 1 0 -1):(1 2 3; 4 -5 6; 7 8 9):(0 0 0; 0 1 0; 0 0 0)", 'i', 3, 0},
    {"sharpen:clamp=3..40", 'p', 4, 4},
    {"gaussian:5", 'b', 3, 0},
    {"gaussian:9x4", 'b', 3, 0},
    {"gaussian:3x21:bias=2.5", 'p', 2, 2},
    {"gaussian:5:dilate=2x3", 'i', 3, 0},
    {"gaussian:21:dilate=5x1", 'i', 3, 0},
    {"box", 'b', 3, 0},
    {"box:10x7:bias=-7.3", 'b', 3, 0},
    {"box:1x1", 'p', 1, 0},
    {"box:190x180", 'p', 1, 0},
    {"sharpen:type=f32", 'i', 3, 0},
    {"sharpen:type=u8", 'i', 3, 0},
    {"gaussian:5:type=s16", 'i', 3, 0},
    {"mask:(1 2 1; 2 -4 2; 1 2 1):type=u16:bias=100", 'p', 2, 1},
    {"mask:(1 2 -3; 2 0 1):(3 1 0.5; 0 0 4; 1 1 -2):(7):join=stack", 'b', 3, 0},
    {"mask:(1 2; 3 4):(-1 5):join=stack:dilate=1x2:bias=2", 'b', 3, 1},
};

/* Pixels from samples of the same pixel, and the stage that `values` appends; or the stages of
 * weights. */
static const struct {
    const char *chain, *values;
    swathe_type to;
    int32_t channels, alpha;
    const char *nodata; /* "alpha": it is a weight */
    int32_t back;
} pixels[] = {
    {"abs", NULL, 0, 3, 0, NULL, 0},
    {"abs:bias=-7.75:clamp=3..90", NULL, 0, 4, 4, NULL, 0},
    {"mix:(0.25 0 -1.5; 1 2 3)", NULL, 0, 3, 0, NULL, 0},
    {"mix:(0.5 0.125 0.3; 0 1 0; 2 0 -2; 1 1 1):bias=9.5:clamp=0..200", NULL, 0, 4, 2, NULL, 0},
    {"mask:(1):(-2.5):(0.5):join=hypot", NULL, 0, 2, 0, NULL, 0},
    {"mask:(1):(-2.5):join=max:bias=3:clamp=5..250", NULL, 0, 4, 1, NULL, 0},
    {"mask:(1):(-2.5):(0.5):(3):join=sum", NULL, 0, 1, 0, NULL, 0},
    {"mask:(1):(2):join=hypot:type=u8", NULL, 0, 3, 0, NULL, 0},
    {"mask:(1):(2):join=sum:type=u32", NULL, 0, 1, 0, NULL, 0},
    {"identity", "scale", SWATHE_U8, 3, 0, NULL, 0},
    {"identity", "scale", SWATHE_U32, 4, 4, NULL, 0},
    {"identity", "scale", SWATHE_F32, 2, 1, NULL, 0},
    {"identity", "fit(-3.5..170.25)", SWATHE_S16, 4, 4, NULL, 0},
    {"identity", "fit(5..200)", SWATHE_F64, 1, 0, NULL, 0},
    {"identity", "fit(0..50)", SWATHE_U8, 2, 0, NULL, 0},
    {"box:3", NULL, 0, 4, 4, "alpha", 2},
    {"box:3", NULL, 0, 4, 4, "alpha", 1},
    {"box:3", NULL, 0, 4, 4, "alpha", 0},
    {"sharpen:clamp=3..200", NULL, 0, 3, 1, "alpha", 2},
    {"sharpen:clamp=3..200", NULL, 0, 3, 1, "alpha", 1},
    {"sharpen:clamp=3..200", NULL, 0, 3, 1, "alpha", 0},
    {"gaussian:5:border=constant(3)", NULL, 0, 3, 2, "7", 1},
    {"gaussian:5:bias=3", NULL, 0, 3, 2, "7:least=0.5", 0},
    {"sharpen:border=missing", NULL, 0, 2, 0, "0", 1},
    {"sharpen", NULL, 0, 2, 0, "0:fill", 0},
    {"sharpen:type=u8", NULL, 0, 4, 4, "mask", 0},
    {"mask:(1 2):(-2.5):join=max", NULL, 0, 2, 0, "0", 0},
    {"mask:(1 2):(-2.5 1):join=stack", NULL, 0, 3, 3, "mask", 1},
    {"abs:bias=2", NULL, 0, 2, 0, "3", 0},
};

static void check_pixels(const struct gpu_limits *limits)
{
    static const int64_t sizes[][2] = {{1, 1}, {35, 9}, {70, 5}};
    for (size_t i = 0; i < sizeof pixels / sizeof *pixels; i++)
        for (size_t t = 0; t < TYPES; t++)
            for (size_t s = 0; s < 3; s++) {
                struct gpu_wish wish = {.chain = pixels[i].chain,
                                        .values = pixels[i].values,
                                        .to = pixels[i].to,
                                        .channels = pixels[i].channels,
                                        .alpha = pixels[i].alpha,
                                        .back = pixels[i].back,
                                        .type = types[t],
                                        .border = "reflect",
                                        .width = sizes[s][0],
                                        .height = sizes[s][1],
                                        .planar = (i + t + s / 2) % 2,
                                        .seed = i * 100 + t * 10 + s};
                if (pixels[i].nodata && strcmp(pixels[i].nodata, "alpha") == 0)
                    wish.premultiply = true;
                else
                    wish.nodata = pixels[i].nodata;
                if ((number + (int)s) % shares == share)
                    run_case(&wish, limits, s == 2);
                number += s == 2;
            }
}

static void check_production(const struct gpu_limits *limits, bool large, int every)
{
    for (size_t i = 0; i < sizeof productions / sizeof *productions; i++)
        for (size_t t = 0; t < TYPES; t++)
            for (int planar = 0; planar < 2; planar++) {
                char layout = productions[i].layout;
                if (layout == (planar ? 'i' : 'p') || (i + t + (size_t)planar) % (size_t)every)
                    continue;
                struct gpu_wish wish = {.chain = productions[i].chain,
                                        .channels = productions[i].channels,
                                        .alpha = productions[i].alpha,
                                        .type = types[t],
                                        .planar = planar == 1};
                run_borders(wish, limits, large);
            }
}

/* Tiles for typical devices, tiles with few threads, tiles too large for the device. */
static void check_all(void)
{
    struct gpu_limits few = limits_of(16), usual = limits_of(128), small = limits_of(16),
                      none = limits_of(8);
    check_strategies();
    check_arithmetic();
    check_production(&few, true, 1);
    check_production(&usual, false, 4);
    small.local = 2400; /* rows of taps in turns, strips */
    check_production(&small, false, 2);
    none.local = none.constant = 0; /* plain */
    check_production(&none, false, 2);
    check_pixels(&few);
}

/* Replaces the first occurrence of `from` by `to`. */
static char *replaced(const char *source, const char *from, const char *to)
{
    const char *at = strstr(source, from);
    size_t before = (size_t)(at - source);
    if (!at)
        exit(2); /* the kernels' text has changed; adapt the planted bugs */
    char *text = malloc(strlen(source) + strlen(to) + 1);
    if (!text)
        abort();
    memcpy(text, source, before);
    memcpy(text + before, to, strlen(to));
    memcpy(text + before + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    return text;
}

static char *planted(const char *plant)
{
    const char *load = "tiled_load(tile, &from, task, left, top, first);\n    BARRIER();";
    if (strcmp(plant, "race") == 0)
        return replaced(gpu_source(), load, "tiled_load(tile, &from, task, left, top, first);");
    if (strcmp(plant, "divergence") == 0)
        return replaced(gpu_source(), load,
                        "tiled_load(tile, &from, task, left, top, first);\n"
                        "    if (x < task->width) BARRIER();");
    if (strcmp(plant, "float") == 0)
        return replaced(gpu_source(), "typedef real_t sum_t;", "typedef float sum_t;");
    if (strcmp(plant, "order") == 0)
        return replaced(gpu_source(), "for (int j = 0; j < MASK_H; j++)\n        for (int i = 0;",
                        "for (int j = MASK_H - 1; j >= 0; j--)\n        for (int i = 0;");
    if (strcmp(plant, "planes") == 0)
        return replaced(gpu_source(), "i * (COLOURS / JOINED)", "i");
    if (strcmp(plant, "root") == 0)
        return replaced(gpu_source(), "(root + 1) >> 1", "root >> 1");
    if (strcmp(plant, "weights") == 0)
        return replaced(gpu_source(), "sample_at(from, task, x, y, fields[1])",
                        "sample_at(from, task, x, y, fields[0])");
    if (strcmp(plant, "rounded") == 0)
        return replaced(gpu_source(), "#ifndef TRUNCATED", "#if 1");
    if (strcmp(plant, "rows") == 0)
        return replaced(gpu_source(), "product[i * MASK_H + j] =", "product[j * MASK_W + i] =");
    return replaced(gpu_source(), "return x >= task->width + HALO_X || ", "return ");
}

static void check_planted(const char *plant)
{
    struct gpu_limits limits = limits_of(64);
    bool sums = strcmp(plant, "float") == 0 || strcmp(plant, "order") == 0;
    struct gpu_wish wish = {.chain = sums ? "mask:(1 2 3; 4 5 6; 7 8 9):normalise"
                                          : "mask:(1 2 3; 4 5 6; 7 8 9)",
                            .width = 17,
                            .height = 13,
                            .channels = 1,
                            .type = sums ? SWATHE_F64 : SWATHE_U8,
                            .border = "reflect",
                            .strategy = "tiled",
                            .block = 8};
    bool weights = strcmp(plant, "weights") == 0;
    if (weights || strcmp(plant, "planes") == 0 || strcmp(plant, "root") == 0) {
        wish.chain = weights ? "box:3" : "mask:(1):(2):join=hypot";
        wish.alpha = weights ? 3 : 0;
        wish.premultiply = weights;
        wish.back = weights ? 2 : 0; /* the first of three stages */
        wish.strategy = NULL;
        wish.channels = 3;
        wish.type = SWATHE_F32;
    }
    if (strcmp(plant, "rounded") == 0 || strcmp(plant, "rows") == 0) {
        bool rows = strcmp(plant, "rows") == 0;
        wish.chain = "gaussian:5:dense";
        wish.type = rows ? SWATHE_F32 : SWATHE_S16;
        wish.arithmetic = rows ? ARITHMETIC_report_002 : ARITHMETIC_report_001;
        wish.strategy = rows ? "global" : "naive";
    }
    run_case(&wish, &limits, false);
}

int main(int count, char **words)
{
    const char *plant = getenv("SWATHE_PLANT");
    if (count != 3 && count != 5)
        return 2;
    if (count == 5) {
        share = atoi(words[3]);
        shares = atoi(words[4]);
    }
    char *source = plant ? planted(plant) : NULL;
    if (!shim_build_begin(words[1], words[2], source ? source : gpu_source())) {
        printf("skipped: no C++ compiler\n");
        return 77;
    }
    if (plant)
        check_planted(plant);
    else
        check_all();
    printf("%d cases with %d programs, %d refused, %d failures\n", done, shim_build_count(),
           refused, failures);
    shim_build_end();
    free(source);
    return failures != 0;
}
