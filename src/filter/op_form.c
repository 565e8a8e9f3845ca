#include "filter/op_form.h"

#include "base/cancel.h"

#include "filter/op_taps.h"
#include "filter/quantise.h"

#include <math.h>

/* A result within this distance from the exact one is one of the two integers next to it. */
#define DISTANCE_MOST 0.75

enum { U8_PASS_BITS = 15, U8_KEPT_BITS = 7 }; /* of gaussians that this is exact enough for */

/* How far results can be from the exact ones, with the taps that are bound now. */
static double distance(struct op *op, const struct stage *stage)
{
    op_taps_count(op);
    op_bound(op, stage, 0.0);
    return op->error_bound;
}

static bool is_close(struct op *op, const struct stage *stage)
{
    return distance(op, stage) <= DISTANCE_MOST;
}

static int64_t half(int32_t shift)
{
    return shift > 0 ? (int64_t)1 << (shift - 1) : 0;
}

/* ---- Integer masks ----------------------------------------------------------------------------
 */

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
    taps->add += half(taps->q);
    return true;
}

/* Each mask has the usual number of bits if that suffices, and otherwise the smallest number that
 * does: small taps suit more kernels. */
static bool bind_masks(const struct stage *stage, struct op *op, bool more_bits)
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

/* ---- Integer passes ---------------------------------------------------------------------------
 */

/* Sets what the passes do with their sums, if they fit: those between the passes in 16 bits, those
 * at the end in 32. `kept` is the number of fraction bits between the passes. */
static bool end_passes(const struct stage *stage, int32_t kept, struct op_term *term)
{
    struct op_taps *down = &term->down, *across = &term->across;
    double middle = ldexp((double)quantise_sum(down->w, down->height) * UINT8_MAX, kept - down->q);
    double sum = (middle + 1.0) * (double)quantise_sum(across->w, across->width);
    down->shift = down->q - kept;
    down->add = half(down->shift);
    across->shift = across->q + kept;
    if (down->shift < 0 || middle > INT16_MAX ||
        !quantise_scaled(stage->bias, across->shift, &across->add))
        return false;
    across->add += half(across->shift);
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
        if (bind_scaled_passes(stage, kept, op->terms) && distance(op, stage) < least) {
            least = op->error_bound;
            best = kept;
        }
    return best;
}

static bool bind_passes(const struct stage *stage, struct op *op)
{
    if (bind_usual_passes(stage, op->terms) && is_close(op, stage))
        return true;
    int32_t kept = best_kept(stage, op);
    return kept > 0 && bind_scaled_passes(stage, kept, op->terms) && is_close(op, stage);
}

/* ---- The choice -------------------------------------------------------------------------------
 */

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
        *fits = bind_passes(stage, op);
        return SWATHE_OK;
    }
    TRY(op_masks_new(arena, stage, op));
    op->rule = sums ? STAGE_DENSE : op->rule;
    *fits = bind_masks(stage, op, !sums);
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
