#include "filter/op_taps.h"

#include "base/checked.h"
#include "filter/quantise.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

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

swathe_status op_masks_new(struct arena *arena, const struct stage *stage, struct op *op)
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

swathe_status op_terms_new(struct arena *arena, const struct stage *stage, struct op *op)
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

static int64_t count_taps(const struct op_taps *taps)
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
            op->tap_count += count_taps(&op->terms[t].down) + count_taps(&op->terms[t].across);
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
    return op->rule == STAGE_MEAN ? bind_mean(arena, stage, op) : bind_real(arena, stage, op);
}
