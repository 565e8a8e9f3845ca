/* Large masks through Fourier transforms: several cells of the grid, results that do not depend on
 * how the image is divided, samples that are not finite, extreme ranges, and integers at rounding
 * boundaries. On every instruction set. */
#include "../../cli/rng.h"
#include "image/sample.h"
#include "swathe/unstable.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM = -1 };
/* Wider than the widest cell of the grid. */
enum { WIDTH = 4501, HEIGHT = 17, CHANNELS = 3, SAMPLES = WIDTH * HEIGHT * CHANNELS, TAPS = 21 };

static swathe_context *context;
static const char *isa;
static swathe_type type; /* of floats: f32 or f64 */
static int passed, failed;

static void verdict(int good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: fourier on %s: %s\n", isa, what);
}

/* A mask of full rank, with some zeros. */
static void put_mask(char *text, size_t size, struct rng *rng, double scale)
{
    size_t at = 0;
    for (int i = 0; i < TAPS * TAPS; i++) {
        double tap = rng_once_in(rng, 9) ? 0.0 : scale * (rng_unit(rng) + 0.8) / (TAPS * TAPS);
        at += (size_t)snprintf(text + at, size - at, "%s%.9g", i % TAPS ? " " : i ? "; " : "", tap);
    }
}

/* The plan under test or, with other options, a plan to compare it with. */
static swathe_plan *make(const char *type_name, const char *mask, const char *more,
                         const char *options)
{
    static char text[1 << 16];
    swathe_plan *plan = NULL;
    snprintf(text, sizeof text, "contract=%d shape=%dx%dx%d:%s %s chain={mask:(%s)%s}",
             swathe_contract(), WIDTH, HEIGHT, CHANNELS, type_name, options, mask, more);
    if (swathe_plan_parse(context, text, &plan) != SWATHE_OK) {
        printf("FAILED: %s\n", swathe_error_text());
        exit(1);
    }
    return plan;
}

static swathe_plan *make_fourier(const char *type_name, const char *mask, const char *more)
{
    char options[64];
    snprintf(options, sizeof options, "isa=%s algorithm=fourier", isa);
    return make(type_name, mask, more, options);
}

static int is_fourier(const swathe_plan *plan)
{
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    swathe_plan_stage(plan, 0, &stage);
    return strcmp(stage.algorithm, "fourier") == 0;
}

static swathe_image view_of(const swathe_shape *shape, void *data)
{
    swathe_image view = SWATHE_INIT(swathe_image);
    swathe_image_init(shape, SWATHE_INTERLEAVED, data, &view);
    return view;
}

static void run(const swathe_plan *plan, void *from, void *to, const swathe_run_options *o)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_plan_get(plan, &info);
    swathe_image source = view_of(&info.source, from), result = view_of(&info.result, to);
    verdict(swathe_run(context, plan, &source, &result, o) == SWATHE_OK, swathe_error_text());
}

/* Samples of the type under test, in memory that is large enough for either. */
static void store_all(const double *samples, double *memory)
{
    for (int i = 0; i < SAMPLES; i++)
        sample_store((char *)memory + (ptrdiff_t)i * sample_size(type), type, samples[i]);
}

static double load(const double *memory, int i)
{
    return sample_load((const char *)memory + (ptrdiff_t)i * sample_size(type), type);
}

/* Tiles of random sizes, each with only the source pixels that it needs. */
static void run_tiles(const swathe_plan *plan, double *from, double *to, struct rng *rng)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_plan_get(plan, &info);
    swathe_image source = view_of(&info.source, from), result = view_of(&info.result, to);
    for (int64_t x = 0, width; x < WIDTH; x += width) {
        width = rng_between(rng, 1, WIDTH);
        width = width < WIDTH - x ? width : WIDTH - x;
        for (int64_t y = 0, height; y < HEIGHT; y += height) {
            swathe_image tile = SWATHE_INIT(swathe_image), part = SWATHE_INIT(swathe_image);
            height = rng_between(rng, 1, HEIGHT);
            height = height < HEIGHT - y ? height : HEIGHT - y;
            swathe_rect rect = {x, y, width, height}, need;
            swathe_plan_input(plan, &rect, &need);
            swathe_image_crop(&source, &need, &tile);
            swathe_image_crop(&result, &rect, &part);
            verdict(swathe_run(context, plan, &tile, &part, NULL) == SWATHE_OK,
                    swathe_error_text());
        }
    }
}

/* Threads, cells, spans and tiles give the same bytes. */
static void check_cuts(const char *mask, const double *samples, struct rng *rng)
{
    static double from[SAMPLES], whole[SAMPLES], cut[SAMPLES];
    size_t bytes = SAMPLES * (size_t)sample_size(type);
    swathe_plan *plan = make_fourier(sample_entry(type)->name, mask, "");
    store_all(samples, from);
    verdict(is_fourier(plan), "the plan uses fourier");
    run(plan, from, whole, NULL);
    for (int i = 0; i < 2; i++) {
        swathe_run_options o = SWATHE_INIT(swathe_run_options);
        o.threads = 1 + 2 * i;
        o.cell_rows = rng_between(rng, 1, 30);
        o.span_columns = rng_between(rng, 1, WIDTH);
        memset(cut, 0, sizeof cut);
        run(plan, from, cut, &o);
        verdict(memcmp(whole, cut, bytes) == 0, "cells and spans change the bytes");
        memset(cut, 0, sizeof cut);
        run_tiles(plan, from, cut, rng);
        verdict(memcmp(whole, cut, bytes) == 0, "tiles change the bytes");
    }
    swathe_plan_destroy(plan);
}

/* Results for samples up to `most` are within both plans' bounds of the definition; non-finite
 * results are the same. */
static void check_floats(const char *mask, const char *more, const double *samples, double most,
                         const char *what)
{
    static double from[SAMPLES], exact[SAMPLES], fast[SAMPLES];
    const char *name = sample_entry(type)->name;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info), other = info;
    swathe_plan *direct = make(name, mask, more, "exact=1");
    swathe_plan *plan = make_fourier(name, mask, more);
    int good = is_fourier(plan) && !is_fourier(direct);
    store_all(samples, from);
    run(direct, from, exact, NULL);
    run(plan, from, fast, NULL);
    swathe_plan_get(direct, &info);
    swathe_plan_get(plan, &other);
    double allowed = (info.error_bound + other.error_bound) * fmax(most, 1.0);
    for (int i = 0; i < SAMPLES; i++) {
        double a = load(exact, i), b = load(fast, i);
        if (fabs(a) > 0x1p60 && isfinite(a)) /* a result of a sample that is too large */
            good &= fabs(a / b - 1.0) < (type == SWATHE_F64 ? 0x1p-39 : 0x1p-10);
        else if (isfinite(a))
            good &= fabs(a - b) <= allowed;
        else
            good &= isnan(a) ? isnan(b) : a == b;
    }
    verdict(good, what);
    swathe_plan_destroy(direct);
    swathe_plan_destroy(plan);
}

/* A few samples that no transform can handle: they affect the results under the mask and no
 * others. */
static void spoil(double *samples, struct rng *rng)
{
    double large = type == SWATHE_F64 ? 1.7e308 : 3e38;
    const double values[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, large, -large};
    for (int i = 0; i < 5; i++)
        samples[rng_between(rng, 0, SAMPLES - 1)] = values[i];
}

static void check_ranges(const char *mask, struct rng *rng)
{
    static double from[SAMPLES];
    double little = type == SWATHE_F64 ? 0x1p-1060 : 0x1p-135;
    for (int i = 0; i < SAMPLES; i++)
        from[i] = rng_unit(rng) * exp2((double)rng_between(rng, -60, 20));
    check_floats(mask, "", from, 0x1p20, "samples of very different sizes");
    for (int i = 0; i < SAMPLES; i++)
        from[i] = rng_unit(rng) * little;
    check_floats(mask, "", from, little, "samples that underflow");
    for (int i = 0; i < SAMPLES; i++)
        from[i] = i % WIDTH % 2 ? 1.0 : -1.0;
    check_floats(mask, ":bias=0.3:clamp=-0.2..0.4", from, 1.0, "bias and clamp");
    spoil(from, rng);
    check_floats(mask, "", from, 1.0, "samples that are not finite");
}

/* Integer results equal the bytes of direct sums; the image is random (RANDOM) or constant. */
static void check_integers(const char *name, size_t size, const char *mask, const char *more,
                           int flat, struct rng *rng)
{
    static uint16_t from[SAMPLES], direct[SAMPLES], fast[SAMPLES];
    swathe_plan *plain = make(name, mask, more, "algorithm=direct");
    swathe_plan *plan = make_fourier(name, mask, more);
    for (size_t i = 0; i < SAMPLES * size / 2; i++)
        from[i] = flat >= 0 ? (uint16_t)flat : (uint16_t)rng_next(rng);
    run(plain, from, direct, NULL);
    run(plan, from, fast, NULL);
    verdict(is_fourier(plan), name);
    verdict(memcmp(direct, fast, SAMPLES * size / 2 * 2) == 0, name);
    swathe_plan_destroy(plain);
    swathe_plan_destroy(plan);
}

static void check_real(const char *mask, swathe_type real, struct rng *rng)
{
    static double from[SAMPLES];
    type = real;
    for (int i = 0; i < SAMPLES; i++)
        from[i] = rng_unit(rng);
    check_cuts(mask, from, rng);
    spoil(from, rng);
    check_cuts(mask, from, rng);
    check_ranges(mask, rng);
}

static void check_isa(void)
{
    static char mask[1 << 15];
    struct rng rng = {17};
    put_mask(mask, sizeof mask, &rng, 1.0);
    check_real(mask, SWATHE_F32, &rng);
    check_real(mask, SWATHE_F64, &rng);
    check_integers("u8", 1, mask, "", RANDOM, &rng);
    check_integers("u16", 2, mask, "", RANDOM, &rng);
    check_integers("s16", 2, mask, ":bias=-3.25", RANDOM, &rng);
    put_mask(mask, sizeof mask, &rng, 90.0);
    check_integers("u8", 1, mask, ":type=s16", RANDOM, &rng);
    check_integers("s16", 2, mask, ":normalise", RANDOM, &rng);
    check_integers("s16", 2, mask, "", RANDOM, &rng);
    /* A constant image has constant results, so that with this bias every result is at a rounding
     * boundary. */
    check_integers("u16", 2, mask, ":normalise:bias=0.5", 0x2121, &rng);
    check_integers("s16", 2, mask, ":bias=0.5", 0, &rng);
}

/* The requested accuracy decides: direct sums of this many taps have a larger bound than
 * transforms. */
static void check_accuracy(void)
{
    static const char *const types[] = {"f32", "f64"};
    static const char *const loosely[] = {"algorithm=fourier accuracy=0.01",
                                          "algorithm=fourier accuracy=1e-9"};
    static const char *const tightly[] = {"algorithm=fourier accuracy=1e-6",
                                          "algorithm=fourier accuracy=1e-14"};
    for (int i = 0; i < 2; i++) {
        swathe_plan *loose = make(types[i], "1 2 3; 4 5 6", "", loosely[i]);
        swathe_plan *tight = make(types[i], "1 2 3; 4 5 6", "", tightly[i]);
        verdict(is_fourier(loose) && !is_fourier(tight), "accuracy decides");
        swathe_plan_destroy(loose);
        swathe_plan_destroy(tight);
    }
}

static bool is_wanted(int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(isa, names[i]) == 0)
            return true;
    return count == 0;
}

/* Arguments: names of instruction sets; without, all. */
int main(int argc, char **argv)
{
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    o.threads = 3;
    if (swathe_context_create(&o, &context) != SWATHE_OK)
        return 1;
    int found = 0;
    for (int i = 0; swathe_table_get(SWATHE_TABLE_ISAS, i, &entry) == SWATHE_OK; i++) {
        isa = entry.name;
        if (!is_wanted(argc - 1, argv + 1))
            continue;
        found++;
        if (!entry.available)
            printf("skipped: %s (this machine cannot run it)\n", isa);
        else
            check_isa();
    }
    isa = "scalar";
    check_accuracy();
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || found == 0;
}
