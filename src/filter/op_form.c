#include "filter/op.h"

#include "base/cancel.h"
#include "base/checked.h"
#include "filter/quantise.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

/* ---- Taps ------------------------------------------------------------------------------------ */

static swathe_status new_taps(struct arena *arena, const struct op *op, int32_t width,
                              int32_t height, struct op_taps *taps)
{
    int64_t count = (int64_t)width * height;
    *taps = (struct op_taps){.width = width, .height = height};
    if (op->integer)
        return arena_new_raw(arena, count, sizeof *taps->w, "taps", &taps->w);
    if (op->real == SWATHE_F64)
        return arena_new_raw(arena, count, sizeof *taps->d, "taps", &taps->d);
    return arena_new_raw(arena, count, sizeof *taps->f, "taps", &taps->f);
}

static swathe_status op_masks_new(struct arena *arena, const struct stage *stage, struct op *op)
{
    op->mask_count = stage->mask_count;
    TRY(arena_new(arena, op->mask_count, sizeof *op->masks, "masks", &op->masks));
    for (int32_t i = 0; i < op->mask_count; i++) {
        const struct mask *mask = &stage->masks[i];
        TRY(new_taps(arena, op, mask->width, mask->height, &op->masks[i]));
        op->masks[i].anchor_x = mask->anchor_x;
        op->masks[i].anchor_y = mask->anchor_y;
    }
    return SWATHE_OK;
}

static swathe_status op_terms_new(struct arena *arena, const struct stage *stage, struct op *op)
{
    const struct mask *mask = &stage->masks[0];
    op->term_count = stage->term_count;
    TRY(arena_new(arena, op->term_count, sizeof *op->terms, "taps", &op->terms));
    for (int32_t t = 0; t < op->term_count; t++) {
        struct op_term *term = &op->terms[t];
        TRY(new_taps(arena, op, 1, mask->height, &term->down));
        TRY(new_taps(arena, op, mask->width, 1, &term->across));
        term->down.anchor_y = mask->anchor_y;
        term->across.anchor_x = mask->anchor_x;
    }
    return SWATHE_OK;
}

/* Stores real taps, rounded to f32 if that is the type of the arithmetic. */
static swathe_status round_taps(const double *k, struct op_taps *taps)
{
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
        if (taps->d) {
            taps->d[i] = k[i];
            continue;
        }
        if (fabs(k[i]) > (double)FLT_MAX)
            return fail(
                SWATHE_ERROR_ARGUMENT,
                "a tap of %g is too large for f32 arithmetic, the limit is %g; scale it down "
                "(normalise) or use type=f64",
                k[i], (double)FLT_MAX);
        taps->f[i] = (float)k[i];
    }
    return SWATHE_OK;
}

static swathe_status bind_real(struct arena *arena, const struct stage *stage, struct op *op)
{
    if (op->rule == STAGE_TWO_PASS) {
        TRY(op_terms_new(arena, stage, op));
        for (int32_t t = 0; t < op->term_count; t++) {
            TRY(round_taps(stage->terms[t].down, &op->terms[t].down));
            TRY(round_taps(stage->terms[t].across, &op->terms[t].across));
        }
        return SWATHE_OK;
    }
    TRY(op_masks_new(arena, stage, op));
    for (int32_t i = 0; i < op->mask_count; i++)
        TRY(round_taps(stage->masks[i].k, &op->masks[i]));
    return SWATHE_OK;
}

static swathe_status bind_mean(struct arena *arena, const struct stage *stage, struct op *op)
{
    const struct mask *mask = &stage->masks[0];
    op->mask_count = 1;
    TRY(arena_new(arena, 1, sizeof *op->masks, "masks", &op->masks));
    op->masks[0].width = mask->width;
    op->masks[0].height = mask->height;
    op->masks[0].anchor_x = mask->anchor_x;
    op->masks[0].anchor_y = mask->anchor_y;
    op->mean_count = (int64_t)mask->width * mask->height;
    /* B of the contract with n instead of 2^q; 2^22 taps × 2^17 stay far below 2^53. */
    double most = sample_is_32(op->in) || sample_is_32(op->out) ? 0x1p32 : 65536.0;
    if (fabs(stage->bias) > most)
        return fail(SWATHE_ERROR_ARGUMENT, "bias=%g: the limit is %.0f for this filter",
                    stage->bias, most);
    double add = round(stage->bias * (double)op->mean_count);
    /* The kernels add and divide doubles; see DEFINE_MEAN. */
    if ((double)op->mean_count * (double)quantise_sample_max(op->in) + fabs(add) >= 0x1p49)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the sum of %" PRId64
                    " samples of type %s could reach 2^49, the limit of exact "
                    "means; use a smaller size or type=f64",
                    op->mean_count, sample_entry(op->in)->name);
    op->mean_add = (int64_t)add;
    return SWATHE_OK;
}

static int64_t op_form_count_taps(const struct op_taps *taps)
{
    int64_t count = 0;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
        count += !op_tap_is_zero(taps, i);
    return count;
}

void op_taps_count(struct op *op)
{
    op->tap_count = 0;
    if (op->rule == STAGE_POINT || op->rule == STAGE_WEIGH || op->rule == STAGE_DIVIDE)
        op->tap_count = 1;
    else if (op->rule == STAGE_TWO_PASS)
        for (int32_t t = 0; t < op->term_count; t++)
            op->tap_count +=
                op_form_count_taps(&op->terms[t].down) + op_form_count_taps(&op->terms[t].across);
    else if (op->rule == STAGE_MEAN)
        op->tap_count = (int64_t)op->masks[0].width + op->masks[0].height;
    else
        for (int32_t i = 0; i < op->mask_count; i++)
            op->tap_count = max64(op->tap_count, op_form_count_taps(&op->masks[i]));
}

static swathe_status op_taps_bind(struct arena *arena, const struct stage *stage, struct op *op)
{
    if (op->rule == STAGE_POINT || op->rule == STAGE_JOIN)
        return SWATHE_OK;
    if (op->rule == STAGE_MEAN && !op->integer)
        op->rule = STAGE_DENSE; /* the mean of floats is not exact */
    return op->rule == STAGE_MEAN ? bind_mean(arena, stage, op) : bind_real(arena, stage, op);
}

/* ---- Forms ----------------------------------------------------------------------------------- */

/* A result within this distance from the exact one is one of the two integers next to it. */
#define DISTANCE_MOST 0.75

enum { U8_PASS_BITS = 15, U8_KEPT_BITS = 7 }; /* of gaussians that this is exact enough for */

/* How far results can be from the exact ones, with the taps that are bound now. */
static double op_form_distance(struct op *op, const struct stage *stage)
{
    op_taps_count(op);
    op_bound(op, stage, 0.0);
    return op->error_bound;
}

static bool is_close(struct op *op, const struct stage *stage)
{
    return op_form_distance(op, stage) <= DISTANCE_MOST;
}

static int64_t op_form_half(int32_t shift)
{
    return shift > 0 ? (int64_t)1 << (shift - 1) : 0;
}

/* ---- Integer masks --------------------------------------------------------------------------- */

/* Quantises the first mask with q bits, or with the usual number if q is 0. */
static bool bind_mask(const struct stage *stage, int32_t q, struct op *op)
{
    const struct mask *mask = stage->masks;
    struct op_taps *taps = op->masks;
    int64_t count = (int64_t)mask->width * mask->height;
    int64_t anchor = (int64_t)mask->anchor_y * mask->width + mask->anchor_x;
    taps->q = q;
    if (q > 0 ? !quantise_with(mask->k, count, anchor, stage->bias, op->in, q, taps->w, &taps->add)
              : !quantise_dense(mask->k, count, anchor, stage->bias, op->in, taps->w, &taps->q,
                                &taps->add))
        return false;
    taps->shift = taps->q;
    taps->add += op_form_half(taps->q);
    return true;
}

/* Each mask has the usual number of bits if that suffices, and otherwise the smallest number that
 * does: small taps suit more kernels. */
static bool op_form_bind_masks(const struct stage *stage, struct op *op, bool more_bits)
{
    int32_t count = op->mask_count;
    struct op_taps *all = op->masks;
    bool fits = true;
    op->mask_count = 1; /* the bound is that of one mask */
    for (int32_t i = 0; i < count && fits; i++) {
        struct stage one = *stage;
        one.masks += i;
        one.mask_count = 1;
        op->masks = all + i;
        fits = bind_mask(&one, 0, op) && is_close(op, &one);
        for (int32_t q = QUANTISE_BITS_USUAL + 1; !fits && more_bits && q <= QUANTISE_BITS_MAX &&
                                                  !cancel_wanted() && bind_mask(&one, q, op);
             q++)
            fits = is_close(op, &one);
    }
    op->masks = all;
    op->mask_count = count;
    return fits;
}

/* ---- Integer passes -------------------------------------------------------------------------- */

/* Sets what the passes do with their sums, if they fit: those between the passes in 16 bits, those
 * at the end in 32. `kept` is the number of fraction bits between the passes. */
static bool end_passes(const struct stage *stage, int32_t kept, struct op_term *term)
{
    struct op_taps *down = &term->down, *across = &term->across;
    double middle = ldexp((double)quantise_sum(down->w, down->height) * UINT8_MAX, kept - down->q);
    double sum = (middle + 1.0) * (double)quantise_sum(across->w, across->width);
    down->shift = down->q - kept;
    down->add = op_form_half(down->shift);
    across->shift = across->q + kept;
    if (down->shift < 0 || middle > INT16_MAX ||
        !quantise_scaled(stage->bias, across->shift, &across->add))
        return false;
    across->add += op_form_half(across->shift);
    return sum + fabs((double)across->add) < 0x1p31;
}

/* One scale for both passes. */
static bool bind_usual_passes(const struct stage *stage, struct op_term *term)
{
    const struct stage_term *from = &stage->terms[0];
    struct {
        const double *k;
        int64_t count;
        struct op_taps *taps;
    } passes[] = {{from->down, term->down.height, &term->down},
                  {from->across, term->across.width, &term->across}};
    for (int i = 0; i < 2; i++) {
        struct op_taps *taps = passes[i].taps;
        int64_t middle = passes[i].count / 2;
        taps->q = U8_PASS_BITS;
        quantise_taps(passes[i].k, passes[i].count, middle, taps->q, taps->w);
        if (taps->w[middle] > QUANTISE_U8_TAP_MAX)
            quantise_taps(passes[i].k, passes[i].count, middle, --taps->q, taps->w);
    }
    return end_passes(stage, U8_KEPT_BITS, term);
}

/* A scale of its own for each pass: the more bits are kept between them, the fewer are left for the
 * taps of the second. */
static bool bind_scaled_passes(const struct stage *stage, int32_t kept, struct op_term *term)
{
    const struct stage_term *from = &stage->terms[0];
    struct op_taps *down = &term->down, *across = &term->across;
    if (!quantise_pass(from->down, down->height, UINT8_MAX, 0.0, 0, down->w, &down->q))
        return false;
    double middle = ldexp((double)quantise_sum(down->w, down->height) * UINT8_MAX, kept - down->q);
    return quantise_pass(from->across, across->width, middle + 1.0, stage->bias, kept, across->w,
                         &across->q) &&
           end_passes(stage, kept, term);
}

/* The number of bits between the passes that gives the smallest error. */
static int32_t best_kept(const struct stage *stage, struct op *op)
{
    int32_t best = 0;
    double least = INFINITY;
    for (int32_t kept = U8_KEPT_BITS; kept > 0; kept--)
        if (bind_scaled_passes(stage, kept, op->terms) && op_form_distance(op, stage) < least) {
            least = op->error_bound;
            best = kept;
        }
    return best;
}

static bool op_form_bind_passes(const struct stage *stage, struct op *op)
{
    if (bind_usual_passes(stage, op->terms) && is_close(op, stage))
        return true;
    int32_t kept = best_kept(stage, op);
    return kept > 0 && bind_scaled_passes(stage, kept, op->terms) && is_close(op, stage);
}

/* ---- The choice ------------------------------------------------------------------------------ */

/* Tries integer arithmetic. A sum of several products is tried as one mask. */
static swathe_status try_integers(struct arena *arena, const struct stage *stage, struct op *op,
                                  bool *fits)
{
    bool sums = op->rule == STAGE_TWO_PASS && stage->term_count > 1;
    if (op->rule == STAGE_TWO_PASS && !sums) {
        *fits = false;
        if (op->in != SWATHE_U8)
            return SWATHE_OK; /* floats are as exact, and faster */
        TRY(op_terms_new(arena, stage, op));
        *fits = op_form_bind_passes(stage, op);
        return SWATHE_OK;
    }
    TRY(op_masks_new(arena, stage, op));
    op->rule = sums ? STAGE_DENSE : op->rule;
    *fits = op_form_bind_masks(stage, op, !sums);
    if (sums && !*fits) {
        op->rule = STAGE_TWO_PASS;
        op->masks = NULL;
        op->mask_count = 0;
    }
    return SWATHE_OK;
}

swathe_status op_form_check(const struct op *op)
{
    if (op->error_bound <= DISTANCE_MOST)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_ARGUMENT,
                "with samples of type %s, results could be %.3g from exact arithmetic, the limit "
                "is %g; scale the taps down (normalise) or use type=f64",
                sample_entry(op->in)->name, op->error_bound, DISTANCE_MOST);
}

swathe_status op_form_bind(struct arena *arena, const struct stage *stage, struct op *op)
{
    bool fits;
    if (!op->integer || op->rule == STAGE_POINT || op->rule == STAGE_JOIN || op->rule == STAGE_MEAN)
        return op_taps_bind(arena, stage, op);
    TRY(try_integers(arena, stage, op, &fits));
    if (fits)
        return SWATHE_OK;
    op->integer = false;
    op->ordered = true;
    for (int i = op->rule == STAGE_TWO_PASS ? 0 : 1; i < 2; i++) {
        op->real = i == 0 ? SWATHE_F32 : SWATHE_F64;
        op->bias = i == 0 ? (float)stage->bias : stage->bias;
        TRY(cancel_now());
        swathe_status status = op_taps_bind(arena, stage, op);
        if (status == SWATHE_OK && is_close(op, stage))
            return SWATHE_OK;
        if (status != SWATHE_OK && (i > 0 || status != SWATHE_ERROR_ARGUMENT))
            return status; /* taps too large for floats may fit doubles */
    }
    return op_form_check(op);
}
