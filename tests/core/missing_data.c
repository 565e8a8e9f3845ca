/* Properties of weights: images of one value stay so whatever is missing or transparent, colours of
 * transparent pixels have no effect, and what is complete is filtered as without weights. */
#include "../../cli/rng.h"
#include "image/sample.h"
#include "shorthand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 61, HIGH = 17, CHANNELS = 4, SAMPLES = WIDE * HIGH * CHANNELS };

static swathe_context *context;
static int passed, failed;
static double from_memory[SAMPLES], to_memory[2][SAMPLES]; /* samples of any type */

static void verdict(int good, const char *what, const char *chain, swathe_type type)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s of %s\n", what, chain, sample_entry(type)->name);
}

static swathe_shape shape_of(swathe_type type, int alpha)
{
    swathe_shape shape = {0};
    shape.width = WIDE;
    shape.height = HIGH;
    shape.channels = alpha ? CHANNELS : 1;
    shape.type = type;
    shape.alpha = alpha ? CHANNELS : 0;
    return shape;
}

static int samples_in(const swathe_shape *shape)
{
    return (int)shape->width * (int)shape->height * shape->channels;
}

static double get(const double *memory, swathe_type type, int i)
{
    return sample_load((const char *)memory + (ptrdiff_t)i * sample_size(type), type);
}

static void set(double *memory, swathe_type type, int i, double value)
{
    sample_store((char *)memory + (ptrdiff_t)i * sample_size(type), type, value);
}

static void run(const char *chain, const swathe_shape *shape, const swathe_plan_options *o,
                double *to)
{
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_shape made = *shape;
    made.type = o->type ? o->type : shape->type;
    memset(to, 0xA5, sizeof *to * SAMPLES);
    if (swathe_image_init(shape, SWATHE_INTERLEAVED, from_memory, &source) != SWATHE_OK ||
        swathe_image_init(&made, SWATHE_INTERLEAVED, to, &result) != SWATHE_OK ||
        filter_with(context, chain, &source, &result, o) != SWATHE_OK) {
        printf("FAILED: %s: %s\n", chain, swathe_error_text());
        exit(1);
    }
}

/* A random value of the type. */
static double draw(struct rng *rng, swathe_type type)
{
    const struct sample_entry *entry = sample_entry(type);
    double value = rng_unit(rng) * (double)rng_between(rng, 1, 1000);
    if (type == SWATHE_F32)
        return (float)value;
    return type == SWATHE_F64
               ? value
               : (double)rng_between(rng, (int64_t)entry->lowest, (int64_t)entry->highest);
}

static double largest_alpha(swathe_type type)
{
    return sample_is_float(type) ? 1.0 : sample_entry(type)->highest;
}

/* ---- Images of one value ----------------------------------------------------------------------
 */

/* Filters that keep the brightness of flat areas and have taps of one sign. */
static const char *const means[] = {"gaussian:sigma=1.5",
                                    "gaussian:7x5:dense",
                                    "box:5x3",
                                    "box:2",
                                    "disk:3",
                                    "motion:9:angle=30",
                                    "mask:(1 2 3; 4 5 6; 0 8 9):normalise",
                                    "mask:(0.1 0.7 0.2):dilate=3x1",
                                    "gaussian:3,box:3,disk:2"};
enum { MEANS = sizeof means / sizeof *means, TAPS_MOST = 49 };

/* What may differ: doubles are rounded in every step. */
static double tolerance(swathe_type type, double value)
{
    return type == SWATHE_F64 ? 3 * (4 * TAPS_MOST + 16) * 0x1p-53 * fabs(value) : 0.0;
}

static void flat_with_holes(const char *chain, swathe_type type, struct rng *rng)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = shape_of(type, 0);
    double value = draw(rng, type), none = draw(rng, type);
    bool nan = sample_is_float(type) && rng_once_in(rng, 2), all = rng_once_in(rng, 8);
    int64_t share = rng_between(rng, 0, 19);
    char nodata[64];
    if (value == none)
        value = none == 1.0 ? 2.0 : 1.0;
    if (nan)
        none = (double)NAN;
    snprintf(nodata, sizeof nodata, "%.17g:fill", none);
    o.nodata = nan ? "nan:fill" : nodata;
    o.border = rng_once_in(rng, 2) ? SWATHE_BORDER_MISSING : SWATHE_BORDER_REFLECT101;
    for (int i = 0; i < WIDE * HIGH; i++)
        set(from_memory, type, i, !all && rng_between(rng, 0, 19) < share ? none : value);
    run(chain, &shape, &o, to_memory[0]);
    int good = 1, present = 0;
    for (int i = 0; i < WIDE * HIGH; i++) {
        double result = get(to_memory[0], type, i);
        bool missing = nan ? isnan(result) : result == none;
        good &= missing || fabs(result - value) <= tolerance(type, value);
        present += !missing;
    }
    verdict(good, "one value with holes", chain, type);
    verdict(all || share == 0 ? present == WIDE * HIGH : present > 0, "what is present", chain,
            type);
}

static void flat_with_alpha(const char *chain, swathe_type type, struct rng *rng)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = shape_of(type, 1);
    double most = largest_alpha(type), value[CHANNELS];
    int64_t share = rng_between(rng, 0, 9);
    for (int c = 0; c < CHANNELS; c++)
        value[c] = draw(rng, type);
    for (int i = 0; i < SAMPLES; i++) {
        double alpha = sample_is_float(type) ? fabs(rng_unit(rng))
                                             : (double)rng_between(rng, 1, (int64_t)most);
        if (rng_between(rng, 0, 9) < share)
            alpha = rng_once_in(rng, 2) ? 0.0 : most;
        set(from_memory, type, i, i % CHANNELS == CHANNELS - 1 ? alpha : value[i % CHANNELS]);
    }
    run(chain, &shape, &o, to_memory[0]);
    int good = 1;
    for (int i = 0; i < SAMPLES; i++) {
        int c = i % CHANNELS;
        bool clear = get(to_memory[0], type, i - c + CHANNELS - 1) == 0.0;
        double result = get(to_memory[0], type, i), expected = clear ? 0.0 : value[c];
        good &= c == CHANNELS - 1 || fabs(result - expected) <= tolerance(type, expected);
    }
    verdict(good, "one colour with alpha", chain, type);
}

/* ---- Colours of transparent pixels -------------------------------------------------------------
 */

static const char *const others[] = {"sharpen",  "sobel-x:bias=100",  "unsharp:sigma=1.5",
                                     "gradient", "laplacian,box:3x5", "gaussian:3,sharpen"};
enum { OTHERS = sizeof others / sizeof *others };

static void colours_of_nothing(const char *chain, swathe_type type, struct rng *rng)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = shape_of(type, 1);
    o.border = rng_once_in(rng, 2) ? SWATHE_BORDER_MISSING : SWATHE_BORDER_WRAP;
    o.exact = 1;
    for (int i = 0; i < SAMPLES; i++)
        set(from_memory, type, i, draw(rng, type));
    for (int i = CHANNELS - 1; i < SAMPLES; i += CHANNELS)
        set(from_memory, type, i, rng_once_in(rng, 2) ? 0.0 : largest_alpha(type));
    run(chain, &shape, &o, to_memory[0]);
    for (int i = 0; i < SAMPLES; i++)
        if (get(from_memory, type, i - i % CHANNELS + CHANNELS - 1) == 0.0 &&
            i % CHANNELS < CHANNELS - 1)
            set(from_memory, type, i,
                sample_is_float(type) && rng_once_in(rng, 3) ? (double)NAN : draw(rng, type));
    run(chain, &shape, &o, to_memory[1]);
    size_t size = (size_t)samples_in(&shape) * (size_t)sample_size(type);
    verdict(memcmp(to_memory[0], to_memory[1], size) == 0, "colours of transparent pixels", chain,
            type);
}

/* ---- Complete images ---------------------------------------------------------------------------
 */

/* How far results may be from those without weights; negative: they are not comparable. Doubles are
 * summed in the same order, and means are exact. Other integers are next to the exact result. */
static double allowed(const char *chain, swathe_type type)
{
    bool box = strstr(chain, "box");
    if (strchr(chain, ',') || strstr(chain, "gradient"))
        return -1.0; /* the value of missing samples is avoided between stages, too */
    if (type == SWATHE_F64)
        return box ? -1.0 : 0.0;
    if (type != SWATHE_U8 && type != SWATHE_U16 && type != SWATHE_S16)
        return -1.0;
    return box ? 0.0 : 1.0;
}

static void nothing_missing(const char *chain, swathe_type type, struct rng *rng)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = shape_of(type, 0);
    if (allowed(chain, type) < 0.0)
        return;
    for (int i = 0; i < WIDE * HIGH; i++) {
        double value = draw(rng, type);
        set(from_memory, type, i, value == 100.0 ? 101.0 : value);
    }
    if (type == SWATHE_F64)
        set(from_memory, type, (int)rng_between(rng, 0, WIDE * HIGH - 1), (double)INFINITY);
    o.exact = 1;
    run(chain, &shape, &o, to_memory[0]);
    for (int i = 0; i < WIDE * HIGH; i++) /* results that are present are never 100 */
        if (get(to_memory[0], type, i) == 100.0)
            set(to_memory[0], type, i, type == SWATHE_F64 ? nextafter(100.0, 0.0) : 99.0);
    o.nodata = "100";
    run(chain, &shape, &o, to_memory[1]);
    int good = 1;
    for (int i = 0; i < WIDE * HIGH; i++) {
        double a = get(to_memory[0], type, i), b = get(to_memory[1], type, i);
        bool beside = fabs(a - 100.0) <= 1.0 && fabs(b - 100.0) <= 1.0; /* of the missing value */
        good &= a == b || (isnan(a) && isnan(b)) ||
                (allowed(chain, type) > 0.0 && (beside || fabs(a - b) <= allowed(chain, type)));
    }
    verdict(good, "nothing is missing", chain, type);
}

/* ---- Values ------------------------------------------------------------------------------------
 */

/* The ends of a range become the ends of the type; what is present moves away from the value of
 * what is missing. */
static void fitted(swathe_type type)
{
    static const double samples[] = {-9999.0, 20.0, 70.0, 120.0, 60.0};
    static const double plain[] = {0.0, 0.0, 128.0, 255.0, 102.0};
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = shape_of(type, 0);
    shape.width = 5;
    shape.height = 1;
    o.type = SWATHE_U8;
    o.values = SWATHE_VALUES_FIT;
    o.values_low = 20;
    o.values_high = 120;
    for (int i = 0; i < 5; i++)
        set(from_memory, type, i, samples[i]);
    run("identity", &shape, &o, to_memory[0]);
    o.nodata = "-9999";
    run("identity", &shape, &o, to_memory[1]);
    int good = 1, moved = 1;
    for (int i = 0; i < 5; i++) {
        good &= get(to_memory[0], SWATHE_U8, i) == plain[i];
        moved &= get(to_memory[1], SWATHE_U8, i) == (i == 1 ? 1.0 : plain[i]);
    }
    verdict(good, "fit", "identity", type);
    verdict(moved, "fit with nodata", "identity", type);
}

static const char *const joins[] = {"gradient", "gradient,box:3", "mask:(0.5):(2):join=max,disk:2",
                                    "mask:(0.5):bias=1"};
enum { JOINS = sizeof joins / sizeof *joins };

/* Alpha that is a mask is never filtered like a colour, nor joined with others: both ways to treat
 * it give the same results, even if there is nothing else. */
static void masked(const char *chain, swathe_type type, int32_t channels, struct rng *rng)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = shape_of(type, 1);
    shape.channels = shape.alpha = channels;
    o.nodata = "mask";
    for (int i = 0; i < samples_in(&shape); i++) {
        bool is_alpha = i % channels == channels - 1;
        double alpha = rng_once_in(rng, 3) ? 0.0 : largest_alpha(type);
        set(from_memory, type, i, is_alpha ? alpha : draw(rng, type));
    }
    o.alpha = SWATHE_ALPHA_KEEP;
    run(chain, &shape, &o, to_memory[0]);
    o.alpha = SWATHE_ALPHA_FILTER;
    run(chain, &shape, &o, to_memory[1]);
    verdict(memcmp(to_memory[0], to_memory[1], sizeof to_memory[0]) == 0, "a mask is filtered",
            chain, type);
}

int main(void)
{
    struct rng rng = {17};
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    for (int t = 0; sample_entry_at(t); t++) {
        swathe_type type = sample_entry_at(t)->type;
        for (int i = 0; i < MEANS * 6; i++) {
            flat_with_holes(means[i % MEANS], type, &rng);
            flat_with_alpha(means[i % MEANS], type, &rng);
            colours_of_nothing(means[i % MEANS], type, &rng);
            nothing_missing(means[i % MEANS], type, &rng);
        }
        for (int i = 0; i < OTHERS * 6; i++) {
            colours_of_nothing(others[i % OTHERS], type, &rng);
            nothing_missing(others[i % OTHERS], type, &rng);
        }
        for (int i = 0; i < JOINS * 2; i++)
            masked(joins[i / 2], type, i % 2 ? CHANNELS : 1, &rng);
        if (sample_entry(type)->lowest <= -9999.0)
            fitted(type);
    }
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
