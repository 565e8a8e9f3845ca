/* Masks that are the product of a column and a row: sobel, box, binomials, … Both passes of
 * integers are exact and only the end rounds, so the result equals that of one sum over all taps.
 * Floats are nearly such a product, as nearly as a sum over all taps is exact. */
#include "algorithm/few_terms.h"
#include "algorithm/passes.h"
#include "filter/op.h"
#include "filter/quantise.h"

#include <math.h>
#include <stdlib.h>

/* ---- Factors --------------------------------------------------------------------------------- */

/* w[y][x] = factor_down(y)·factor_across(x). The vertical taps have no common divisor, so they are
 * as small as possible. If no tap is negative, no factor is. */
struct factor {
    const struct op_taps *taps;
    int32_t first_x, first_y;             /* position of a non-zero tap */
    int32_t across_divisor, down_divisor; /* of that row, and of its multiples */
};

static int32_t factored_tap(const struct op_taps *taps, int32_t x, int32_t y)
{
    return taps->w[(int64_t)y * taps->width + x];
}

/* Magnitudes of taps are below 2^31, so nothing overflows. */
static int32_t factored_common_divisor(int32_t a, int32_t b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool factored_find_first(const struct op_taps *taps, struct factor *factor)
{
    for (int32_t y = 0; y < taps->height; y++)
        for (int32_t x = 0; x < taps->width; x++)
            if (factored_tap(taps, x, y) != 0) {
                factor->first_x = x;
                factor->first_y = y;
                return true;
            }
    return false;
}

/* The first non-zero row, divided by the common divisor of its taps. */
static int32_t factored_base(const struct factor *factor, int32_t x)
{
    return factored_tap(factor->taps, x, factor->first_y) / factor->across_divisor;
}

/* The factor of row y, which is an integer if the row is a multiple of that one. */
static int32_t factored_multiple(const struct factor *factor, int32_t y)
{
    return factored_tap(factor->taps, factor->first_x, y) / factored_base(factor, factor->first_x);
}

static bool is_multiple(const struct factor *factor, int32_t y)
{
    int64_t times = factored_multiple(factor, y);
    for (int32_t x = 0; x < factor->taps->width; x++)
        if (factored_tap(factor->taps, x, y) != times * factored_base(factor, x))
            return false;
    return true;
}

/* False if the mask is not such a product, or is all zeros. */
static bool factor_find(const struct op_taps *taps, struct factor *factor)
{
    *factor = (struct factor){.taps = taps};
    if (!factored_find_first(taps, factor))
        return false;
    for (int32_t x = 0; x < taps->width; x++)
        factor->across_divisor =
            factored_common_divisor(factor->across_divisor, factored_tap(taps, x, factor->first_y));
    for (int32_t y = 0; y < taps->height; y++) {
        if (!is_multiple(factor, y))
            return false;
        factor->down_divisor =
            factored_common_divisor(factor->down_divisor, factored_multiple(factor, y));
    }
    return true;
}

static int32_t factor_down(const struct factor *factor, int32_t y)
{
    return factored_multiple(factor, y) / factor->down_divisor;
}

static int32_t factor_across(const struct factor *factor, int32_t x)
{
    return factored_base(factor, x) * factor->down_divisor;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* Counts and sums of the factors, which limit the types of the sums. */
struct factor_sizes {
    int64_t down_count, across_count; /* non-zero taps */
    int64_t down_sum, across_sum;     /* of absolute values */
    int32_t down_most;
    bool negative;
};

static struct factor_sizes factored_measure(const struct factor *factor)
{
    struct factor_sizes s = {0};
    for (int32_t y = 0; y < factor->taps->height; y++) {
        int32_t tap = factor_down(factor, y), size = abs(tap);
        s.down_count += tap != 0;
        s.down_sum += size;
        s.down_most = size > s.down_most ? size : s.down_most;
        s.negative |= tap < 0;
    }
    for (int32_t x = 0; x < factor->taps->width; x++) {
        int32_t tap = factor_across(factor, x);
        s.across_count += tap != 0;
        s.across_sum += abs(tap);
        s.negative |= tap < 0;
    }
    return s;
}

/* True if the sums of both passes fit 16 bits, as kernel.h requires for SHORT. */
static bool factored_fits_short(const struct op *op, const struct factor *factor,
                                const struct factor_sizes *s)
{
    const struct op_taps *taps = factor->taps;
    int32_t common = algorithm_common_bits(taps);
    return op->out == SWATHE_U8 && !s->negative && taps->add >= 0 &&
           UINT8_MAX * s->down_sum * (s->across_sum >> common) + (taps->add >> common) <=
               UINT16_MAX;
}

enum width { WIDTH_NONE, WIDTH_DOUBLE, WIDTH_PAIR, WIDTH_SHORT };

/* The narrowest sums that are large enough for one mask. Horizontal sums never exceed the
 * contract's limit for one sum over all taps: 2^31 for u8. */
static enum width mask_width(const struct op *op, const struct op_taps *taps)
{
    struct factor factor;
    if (!factor_find(taps, &factor))
        return WIDTH_NONE;
    struct factor_sizes s = factored_measure(&factor);
    if (s.down_count + s.across_count >= s.down_count * s.across_count)
        return WIDTH_NONE;
    if (op->in == SWATHE_U8 && s.down_sum * UINT8_MAX <= INT16_MAX && s.down_most <= INT8_MAX)
        return factored_fits_short(op, &factor, &s) ? WIDTH_SHORT : WIDTH_PAIR;
    double most = (double)s.down_sum * (double)s.across_sum * (double)quantise_sample_max(op->in);
    return most + fabs((double)taps->add) < 0x1p53 ? WIDTH_DOUBLE : WIDTH_NONE;
}

static enum width stage_width(const struct op *op)
{
    enum width least = WIDTH_SHORT;
    for (int32_t m = 0; m < op->mask_count; m++) {
        enum width width = mask_width(op, &op->masks[m]);
        least = width < least ? width : least;
    }
    return least;
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* Zero taps must stay zero and others must not vanish, because samples may be infinite or NaN. */
static bool has_same_zeros(const struct op_taps *taps, const struct terms *terms)
{
    for (int32_t y = 0; y < taps->height; y++)
        for (int32_t x = 0; x < taps->width; x++) {
            bool is_zero = terms->columns[y] == 0.0f || terms->rows[x] == 0.0f;
            if (is_zero != (taps->f[(int64_t)y * taps->width + x] == 0.0f))
                return false;
        }
    return true;
}

static bool is_product(const struct op *op, const struct terms *terms)
{
    return terms && op->mask_count == 1 && terms->count == 1 && has_same_zeros(op->masks, terms);
}

static swathe_status make_floats(struct arena *arena, const struct op *op, int isa,
                                 struct plan_stage *stage)
{
    static const struct pass_types types = {KERNEL_FAST, KERNEL_FAST, "f32", sizeof(float)};
    const struct op_taps *taps = op->masks;
    const struct terms *terms = stage->analysis;
    struct passes *passes;
    struct op_term *term;
    TRY(arena_new(arena, 1, sizeof *passes, "a plan", &passes));
    TRY(arena_new(arena, 1, sizeof *term, "a plan", &term));
    term->down = (struct op_taps){
        .width = 1, .height = taps->height, .anchor_y = taps->anchor_y, .f = terms->columns};
    term->across = (struct op_taps){
        .width = taps->width, .height = 1, .anchor_x = taps->anchor_x, .f = terms->rows};
    stage->prepared = passes;
    TRY(passes_make(arena, &types, &term->down, &term->across, isa, stage, passes));
    return passes_fuse(arena, KERNEL_FAST, term, isa, stage, passes);
}

/* ---------------------------------------------------------------------------------------------- */

static bool factored_applies(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    if (!op->integer)
        return is_product(op, at->analysis);
    return op->rule == STAGE_DENSE && stage_width(op) != WIDTH_NONE;
}

/* The unit is a tap of a multirow kernel, which loads samples once for several rows; that of floats
 * is a tap of the kernels of two-pass. Sums of one row of u8 take twice as long, in doubles ten
 * times; 16-bit samples in doubles take five times as long. */
static double factored_work(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    double most = 0.0;
    if (!op->integer)
        return (double)terms_work(at);
    for (int32_t m = 0; m < op->mask_count; m++) {
        struct factor factor;
        if (!factor_find(&op->masks[m], &factor))
            return INFINITY;
        struct factor_sizes s = factored_measure(&factor);
        most = fmax(most, (double)(s.down_count + s.across_count));
    }
    if (op->in != SWATHE_U8)
        return 5.0 * most;
    return stage_width(op) == WIDTH_DOUBLE ? 10.0 * most : 2.0 * most + 2.0;
}

static struct pass_types types_of(enum width width)
{
    if (width == WIDTH_DOUBLE)
        return (struct pass_types){KERNEL_RAW, KERNEL_WIDE, "f64", sizeof(double)};
    return (struct pass_types){KERNEL_NARROW, width == WIDTH_SHORT ? KERNEL_SHORT : KERNEL_PAIR,
                               "s16", sizeof(int16_t)};
}

/* Makes masks of both factors: one column, and one row. */
static swathe_status factored_split(struct arena *arena, const struct op_taps *taps,
                                    struct op_taps *down, struct op_taps *across)
{
    struct factor factor;
    if (!factor_find(taps, &factor))
        return fail(SWATHE_ERROR_INTERNAL, "the mask does not factor");
    *down = (struct op_taps){.width = 1, .height = taps->height, .anchor_y = taps->anchor_y};
    *across = *taps;
    across->height = 1;
    across->anchor_y = 0;
    TRY(arena_new(arena, down->height, sizeof *down->w, "taps", &down->w));
    TRY(arena_new(arena, across->width, sizeof *across->w, "taps", &across->w));
    for (int32_t y = 0; y < down->height; y++)
        down->w[y] = factor_down(&factor, y);
    for (int32_t x = 0; x < across->width; x++)
        across->w[x] = factor_across(&factor, x);
    return SWATHE_OK;
}

static swathe_status factored_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                   struct plan_stage *stage)
{
    struct passes *passes;
    (void)exact;
    if (!op->integer)
        return make_floats(arena, op, isa, stage);
    struct pass_types types = types_of(stage_width(op));
    TRY(arena_new(arena, op->mask_count, sizeof *passes, "a plan", &passes));
    stage->prepared = passes;
    for (int32_t m = 0; m < op->mask_count; m++) {
        struct op_taps down, across;
        TRY(factored_split(arena, &op->masks[m], &down, &across));
        TRY(passes_make(arena, &types, &down, &across, isa, stage, &passes[m]));
    }
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_factored = {.analyse = terms_find,
                                                   .applies = factored_applies,
                                                   .work = factored_work,
                                                   .make = factored_make,
                                                   .scratch_bytes = passes_scratch_bytes,
                                                   .run = passes_run,
                                                   .relative_error = terms_relative_error,
                                                   .error_bound = terms_error_bound,
                                                   .reorders = true};
