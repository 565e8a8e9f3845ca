#include "filter/op_taps.h"

#include "base/checked.h"
#include "filter/quantise.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

static int64_t half(int32_t shift)
{
    return shift > 0 ? (int64_t)1 << (shift - 1) : 0;
}

static swathe_status new_taps(struct arena *arena, const struct op *op, const struct mask *mask,
                              int64_t count, struct op_taps *taps)
{
    taps->width = mask->width;
    taps->height = mask->height;
    taps->anchor_x = mask->anchor_x;
    taps->anchor_y = mask->anchor_y;
    if (op->integer)
        return arena_new_raw(arena, count, sizeof *taps->w, "taps", &taps->w);
    if (op->real == SWATHE_F64)
        return arena_new_raw(arena, count, sizeof *taps->d, "taps", &taps->d);
    return arena_new_raw(arena, count, sizeof *taps->f, "taps", &taps->f);
}

/* Stores real taps, rounded to f32 if that is the type of the arithmetic. */
static swathe_status round_taps(const double *k, int64_t count, struct op_taps *taps)
{
    for (int64_t i = 0; i < count; i++) {
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

static swathe_status bind_dense(struct arena *arena, const struct stage *stage, struct op *op)
{
    op->mask_count = stage->mask_count;
    TRY(arena_new(arena, op->mask_count, sizeof *op->masks, "masks", &op->masks));
    for (int32_t i = 0; i < op->mask_count; i++) {
        const struct mask *mask = &stage->masks[i];
        struct op_taps *taps = &op->masks[i];
        int64_t count = (int64_t)mask->width * mask->height;
        TRY(new_taps(arena, op, mask, count, taps));
        if (!op->integer) {
            TRY(round_taps(mask->k, count, taps));
            continue;
        }
        int64_t anchor = (int64_t)mask->anchor_y * mask->width + mask->anchor_x;
        TRY(quantise_dense(mask->k, count, anchor, stage->bias, op->in, taps->w, &taps->q,
                           &taps->add));
        taps->shift = taps->q;
        taps->add += half(taps->q);
    }
    return SWATHE_OK;
}

/* Binds one pass of a two-pass filter; the mask is one column or one row. */
static swathe_status bind_pass(struct arena *arena, const double *k, int32_t count, int32_t anchor,
                               bool vertical, const struct op *op, struct op_taps *taps)
{
    struct mask mask = {vertical ? 1 : count, vertical ? count : 1, vertical ? 0 : anchor,
                        vertical ? anchor : 0, NULL};
    TRY(new_taps(arena, op, &mask, count, taps));
    if (op->integer)
        /* The remainder is added to the middle tap of the Gaussian, not to the anchor's. */
        quantise_pass(k, count, count / 2, op->in, taps->w, &taps->q);
    else
        TRY(round_taps(k, count, taps));
    return SWATHE_OK;
}

/* Rounding can make Σ|w| exceed 2^q, because the remainder can make the middle tap negative. */
static double absolute_taps(const struct op_taps *taps)
{
    double sum = 0.0;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
        sum += fabs((double)taps->w[i]);
    return sum;
}

static swathe_status bind_two_pass(struct arena *arena, const struct stage *stage, struct op *op)
{
    const struct mask *mask = &stage->masks[0];
    TRY(bind_pass(arena, stage->down, mask->height, mask->anchor_y, true, op, &op->down));
    TRY(bind_pass(arena, stage->across, mask->width, mask->anchor_x, false, op, &op->across));
    if (!op->integer)
        return SWATHE_OK;
    bool is_u8 = op->in == SWATHE_U8;
    int32_t kept = is_u8 ? QUANTISE_U8_MIDDLE_BITS : op->down.q;
    op->down.shift = op->down.q - kept;
    op->down.add = half(op->down.shift);
    op->across.shift = op->across.q + kept;
    /* The bias may use the part of the range (of 32-bit integers, or doubles below 2^53) that the
     * sums of pass 2 do not use. */
    double middle =
        ldexp(absolute_taps(&op->down), -op->down.shift) * (double)quantise_sample_max(op->in);
    if (is_u8 && middle > INT16_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "the rounded taps are too large for exact u8 "
                                           "arithmetic; use type=f32 or a smaller size");
    double available = (is_u8 ? 0x1p31 : 0x1p53) - (middle + 1.0) * absolute_taps(&op->across);
    double most = fmin(is_u8 ? 256.0 : 65535.0, floor(ldexp(available, -op->across.shift) - 0.5));
    if (fabs(stage->bias) > most ||
        !quantise_scaled(stage->bias, op->across.shift, &op->across.add))
        return fail(SWATHE_ERROR_ARGUMENT, "bias=%g: the limit is %g for this filter", stage->bias,
                    most);
    op->across.add += half(op->across.shift);
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

static int64_t count_taps(const struct op_taps *taps)
{
    int64_t count = 0;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
        count += !op_tap_is_zero(taps, i);
    return count;
}

void op_taps_count(struct op *op)
{
    if (op->rule == STAGE_POINT || op->rule == STAGE_WEIGH || op->rule == STAGE_DIVIDE)
        op->tap_count = 1;
    else if (op->rule == STAGE_TWO_PASS)
        op->tap_count = count_taps(&op->down) + count_taps(&op->across);
    else if (op->rule == STAGE_MEAN)
        op->tap_count = (int64_t)op->masks[0].width + op->masks[0].height;
    else
        for (int32_t i = 0; i < op->mask_count; i++)
            op->tap_count = max64(op->tap_count, count_taps(&op->masks[i]));
}

swathe_status op_taps_bind(struct arena *arena, const struct stage *stage, struct op *op)
{
    if (op->rule == STAGE_POINT || op->rule == STAGE_JOIN)
        return SWATHE_OK;
    if (op->rule == STAGE_MEAN && !op->integer)
        op->rule = STAGE_DENSE; /* the mean of floats is not exact */
    if (op->rule == STAGE_TWO_PASS)
        return bind_two_pass(arena, stage, op);
    return op->rule == STAGE_MEAN ? bind_mean(arena, stage, op) : bind_dense(arena, stage, op);
}
