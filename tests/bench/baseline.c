/* The benchmark's baselines compared with the definition on random problems: all types, layouts,
 * borders, and masks up to wider than the image.
 *
 *     baseline [PROBLEMS [SEED]] */
#include "baseline.h"
#include "../core/canvas.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 24, MOST_CHANNELS = 4, MOST_TAPS = 11 * 11, BYTES = 1 << 16, STRAY = 0x5a };

static const char *const types[] = {"", "u8", "u16", "s16", "f32"};
static const double largest[] = {0, UINT8_MAX, UINT16_MAX, -(double)INT16_MIN, 1};
static const char *const borders[] = {"zero", "replicate", "reflect"};

struct problem {
    swathe_shape shape;
    struct baseline base;
    uint64_t fill;
    bool whole; /* taps are whole numbers */
    enum canvas_layout from, to;
    double taps[MOST_TAPS];
    float taps32[MOST_TAPS];
};

static swathe_context *context;
static int64_t checks, failures;

static void fail(const struct problem *p, const char *way, const char *what)
{
    if (failures++ < 20)
        printf("FAILED %s: type=%s shape=%" PRId64 "x%" PRId64 "x%d k=%d border=%s clamp=%g..%g "
               "threads=%d whole=%d from=%d to=%d fill=%" PRIu64 ": %s\n",
               way, types[p->shape.type], p->shape.width, p->shape.height, p->shape.channels,
               p->base.k, borders[p->base.border], (double)p->base.least, (double)p->base.most,
               p->base.threads, p->whole, p->from, p->to, p->fill, what);
}

static void draw_taps(struct rng *rng, struct problem *p)
{
    int count = p->base.k * p->base.k;
    for (int i = 0; i < count; i++) {
        double whole = (double)rng_between(rng, -8, 8), real = 3.0 * rng_unit(rng) / count;
        p->taps[i] = rng_once_in(rng, 6) ? 0.0 : p->whole ? whole : real;
        p->taps32[i] = (float)p->taps[i];
    }
}

static void draw(struct rng *rng, struct problem *p)
{
    *p = (struct problem){.shape = (swathe_shape){0}, .fill = rng_next(rng)};
    p->shape.width = rng_skewed(rng, 1, LONGEST);
    p->shape.height = rng_skewed(rng, 1, LONGEST);
    p->shape.channels = (int32_t)rng_between(rng, 1, MOST_CHANNELS);
    p->shape.type = (swathe_type)rng_between(rng, SWATHE_U8, SWATHE_F32);
    p->base.k = (int32_t)rng_between(rng, 1, 11);
    p->base.border = (enum baseline_border)rng_between(rng, BASELINE_ZERO, BASELINE_REFLECT);
    p->base.threads = (int32_t)rng_between(rng, 0, 3);
    p->whole = rng_once_in(rng, 2);
    p->from = (enum canvas_layout)rng_between(rng, 0, CANVAS_LAYOUTS - 1);
    p->to = (enum canvas_layout)rng_between(rng, 0, CANVAS_LAYOUTS - 1);
    if (p->shape.type != SWATHE_F32 && rng_once_in(rng, 3)) {
        p->base.least = (float)rng_between(rng, 0, 20);
        p->base.most = (float)rng_between(rng, 100, 255);
    }
    draw_taps(rng, p);
    p->base.taps32 = p->taps32;
}

/* Both sides round each product and each sum at most once; sums of whole numbers below 2^24 are
 * exact. */
static double allowed(const struct problem *p)
{
    double gain = 0;
    for (int i = 0; i < p->base.k * p->base.k; i++)
        gain += fabs(p->taps[i]);
    gain *= largest[p->shape.type];
    if (p->whole && p->shape.type != SWATHE_F32 && gain < 0x1p24)
        return 0;
    return p->base.k * p->base.k * 0x1p-23 * gain;
}

/* The definition's result, with type `type`. */
static bool define(const struct problem *p, swathe_type type, const swathe_image *from,
                   const swathe_image *to)
{
    char options[128];
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    swathe_plan_options choice = SWATHE_INIT(swathe_plan_options);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    mask.width = mask.height = p->base.k;
    mask.taps = p->taps;
    choice.algorithm = "reference";
    choice.exact = 1;
    int used = snprintf(options, sizeof options, "border=%s:type=%s", borders[p->base.border],
                        types[type]);
    if (p->base.most > p->base.least)
        snprintf(options + used, sizeof options - (size_t)used, ":clamp=%g..%g",
                 (double)p->base.least, (double)p->base.most);
    bool good = swathe_chain_parse(context, "", &chain) == SWATHE_OK &&
                swathe_chain_append_mask(context, chain, &mask, 1, options) == SWATHE_OK &&
                swathe_plan_create(context, chain, &p->shape, &choice, &plan) == SWATHE_OK &&
                swathe_run(context, plan, from, to, NULL) == SWATHE_OK;
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    return good;
}

/* Clamped to the range of the type. */
static double limited(swathe_type type, double value)
{
    double most = type == SWATHE_S16 ? INT16_MAX : largest[type];
    double least = type == SWATHE_S16 ? INT16_MIN : 0;
    return type == SWATHE_F32 ? value : fmin(fmax(value, least), most);
}

/* `exact` is not rounded to the type, `want` is: a sum near a half may be rounded either way. */
static void compare(const struct problem *p, const swathe_image *exact, const swathe_image *want,
                    const swathe_image *got)
{
    char text[128];
    double off = p->base.way->form == BASELINE_PADDED ? 1 : 0.5; /* it does not round */
    double most = allowed(p) + (p->shape.type == SWATHE_F32 ? 0 : off);
    for (int64_t y = 0; y < got->height; y++)
        for (int64_t x = 0; x < got->width; x++)
            for (int32_t c = 0; c < got->channels; c++) {
                double sum = limited(got->type, canvas_get(exact, x, y, c));
                double sample = canvas_get(got, x, y, c), right = canvas_get(want, x, y, c);
                checks++;
                if (fabs(sample - sum) <= most && fabs(sample - right) <= fmax(1, most))
                    continue;
                snprintf(text, sizeof text, "(%d, %d, %d) is %.9g, must be %.9g, exactly %.9g",
                         (int)x, (int)y, (int)c, sample, right, sum);
                fail(p, p->base.way->name, text);
                return;
            }
}

/* The guarded memory of a problem's four images, and of one padded with its border. */
enum { MEMORIES = 5 };
static struct guarded memory[MEMORIES];

static void check_way(struct problem *p, const swathe_image *from, const swathe_image *exact,
                      const swathe_image *want, const swathe_image *got)
{
    swathe_shape wider = p->shape;
    wider.width += p->base.k - 1;
    wider.height += p->base.k - 1;
    swathe_rect all = {0, 0, wider.width, wider.height};
    swathe_image padded = canvas_view(&memory[4], &wider, &all, CANVAS_PLANAR);
    p->base.from = from;
    p->base.to = got;
    canvas_clear(&memory[1], got, STRAY);
    if (p->base.way->form == BASELINE_PADDED) {
        baseline_pad(&p->base, &padded);
        p->base.from = &padded;
    }
    if (!baseline_run(&p->base))
        return;
    compare(p, exact, want, got);
    if (!canvas_untouched(&memory[1], got, STRAY))
        fail(p, p->base.way->name, "it wrote outside the result");
}

static void check(struct problem *p)
{
    swathe_shape floats = p->shape;
    swathe_rect all = {0, 0, p->shape.width, p->shape.height};
    floats.type = SWATHE_F32;
    swathe_image from = canvas_view(&memory[0], &p->shape, &all, p->from);
    swathe_image got = canvas_view(&memory[1], &p->shape, &all, p->to);
    swathe_image want = canvas_view(&memory[2], &p->shape, &all, CANVAS_DENSE);
    swathe_image exact = canvas_view(&memory[3], &floats, &all, CANVAS_DENSE);
    canvas_fill(&from, p->fill, false);
    if (!define(p, p->shape.type, &from, &want) || !define(p, SWATHE_F32, &from, &exact)) {
        fail(p, "the definition", swathe_error_text());
        return;
    }
    for (int i = 0; (p->base.way = baseline_way_at(i)); i++)
        check_way(p, &from, &exact, &want, &got);
}

int main(int argc, char **argv)
{
    int64_t problems = argc > 1 ? atoll(argv[1]) : 3000;
    struct rng rng = {argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 99;
    for (int i = 0; i < MEMORIES; i++)
        memory[i] = guarded_new(BYTES);
    for (int64_t i = 0; i < problems; i++) {
        struct problem problem;
        draw(&rng, &problem);
        check(&problem);
    }
    for (int i = 0; i < MEMORIES; i++)
        guarded_free(&memory[i]);
    swathe_context_destroy(context);
    if (strstr(baseline_flags(), "without OpenMP"))
        printf("skipped: OpenMP (not in this build)\n");
    printf("%" PRId64 " samples compared, %" PRId64 " failures\n", checks, failures);
    return failures ? 1 : 0;
}
