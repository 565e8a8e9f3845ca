#include "filter/op.h"

#include "base/checked.h"
#include "filter/quantise.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Sets how far the masks of all channels extend from the anchor. */
static void set_reach(struct op *op, const struct stage *stage)
{
    for (int32_t i = 0; i < stage->mask_count; i++) {
        const struct mask *mask = &stage->masks[i];
        int32_t left = mask->anchor_x * op->dilate_x, above = mask->anchor_y * op->dilate_y;
        int32_t right = (mask->width - 1) * op->dilate_x - left;
        int32_t below = (mask->height - 1) * op->dilate_y - above;
        op->left = left > op->left ? left : op->left;
        op->right = right > op->right ? right : op->right;
        op->above = above > op->above ? above : op->above;
        op->below = below > op->below ? below : op->below;
    }
}

static swathe_status set_size(struct op *op, int64_t width, int64_t height)
{
    op->in_width = op->out_width = width;
    op->in_height = op->out_height = height;
    if (op->border.mode != BORDER_VALID)
        return SWATHE_OK;
    op->out_width -= (int64_t)op->left + op->right;
    op->out_height -= (int64_t)op->above + op->below;
    op->shift_x = op->left;
    op->shift_y = op->above;
    if (op->out_width < 1 || op->out_height < 1)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "border valid: the input of %" PRId64 " x %" PRId64
                    " pixels is smaller than the mask's extent of %d x %d; use another border",
                    width, height, op->left + op->right + 1, op->above + op->below + 1);
    return SWATHE_OK;
}

static swathe_status check_border(const struct op *op)
{
    const struct sample_entry *entry = sample_entry(op->in);
    double v = op->border.value;
    bool fits = sample_is_float(op->in)
                    ? fabs(v) <= (double)FLT_MAX
                    : v >= entry->lowest && v <= entry->highest && v == floor(v);
    if (!fits)
        return fail(SWATHE_ERROR_ARGUMENT, "border constant(%g) is not a value of type %s", v,
                    entry->name);
    return SWATHE_OK;
}

static swathe_status set_range(struct op *op, const struct stage *stage)
{
    const struct sample_entry *entry = sample_entry(op->out);
    op->low = entry->lowest;
    op->high = entry->highest;
    if (!stage->has_clamp)
        return SWATHE_OK;
    bool whole = !sample_is_float(op->out);
    op->low = fmax(op->low, whole ? ceil(stage->clamp_low) : (float)stage->clamp_low);
    op->high = fmin(op->high, whole ? floor(stage->clamp_high) : (float)stage->clamp_high);
    if (op->low > op->high)
        return fail(SWATHE_ERROR_ARGUMENT, "clamp=%g..%g contains no value of type %s",
                    stage->clamp_low, stage->clamp_high, entry->name);
    return SWATHE_OK;
}

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
    return arena_new_raw(arena, count, sizeof *taps->f, "taps", &taps->f);
}

static swathe_status round_taps(const double *k, int64_t count, float *f)
{
    for (int64_t i = 0; i < count; i++) {
        if (fabs(k[i]) > (double)FLT_MAX)
            return fail(
                SWATHE_ERROR_ARGUMENT,
                "a tap of %g is too large for f32 arithmetic, the limit is %g; scale it down "
                "(normalise)",
                k[i], (double)FLT_MAX);
        f[i] = (float)k[i];
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
            TRY(round_taps(mask->k, count, taps->f));
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
        TRY(round_taps(k, count, taps->f));
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
    if (fabs(stage->bias) > 65536.0)
        return fail(SWATHE_ERROR_ARGUMENT, "bias=%g: the limit is 65536 for this filter",
                    stage->bias);
    op->mean_add = (int64_t)round(stage->bias * (double)op->mean_count);
    return SWATHE_OK;
}

static int64_t count_taps(const struct op_taps *taps)
{
    int64_t count = 0;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
        count += taps->w ? taps->w[i] != 0 : taps->f[i] != 0.0f;
    return count;
}

static void set_tap_count(struct op *op)
{
    if (op->rule == STAGE_TWO_PASS)
        op->tap_count = count_taps(&op->down) + count_taps(&op->across);
    else if (op->rule == STAGE_MEAN)
        op->tap_count = (int64_t)op->masks[0].width + op->masks[0].height;
    else
        for (int32_t i = 0; i < op->mask_count; i++)
            op->tap_count = max64(op->tap_count, count_taps(&op->masks[i]));
}

static swathe_status bind_taps(struct arena *arena, const struct stage *stage, struct op *op)
{
    if (op->rule == STAGE_MEAN && !op->integer)
        op->rule = STAGE_DENSE; /* the mean of floats is not exact */
    if (op->rule == STAGE_TWO_PASS)
        return bind_two_pass(arena, stage, op);
    return op->rule == STAGE_MEAN ? bind_mean(arena, stage, op) : bind_dense(arena, stage, op);
}

static swathe_status bind_stage(struct arena *arena, const struct stage *stage,
                                const struct op_options *options, int64_t width, int64_t height,
                                struct op *op)
{
    op->text = stage->text;
    op->array = stage->array;
    op->rule = stage->rule;
    op->border = stage->has_border ? stage->border : options->border;
    op->integer = !sample_is_float(op->in) && !sample_is_float(op->out);
    op->dilate_x = stage->dilate_x;
    op->dilate_y = stage->dilate_y;
    op->bias = (float)stage->bias;
    if (stage->mask_count > 1 && stage->mask_count != op->channels)
        return fail(SWATHE_ERROR_ARGUMENT, "%d masks for %d channels; give one, or one per channel",
                    stage->mask_count, op->channels);
    set_reach(op, stage);
    TRY(set_size(op, width, height));
    TRY(check_border(op));
    TRY(set_range(op, stage));
    TRY(bind_taps(arena, stage, op));
    set_tap_count(op);
    return SWATHE_OK;
}

/* The type of a stage's result: the plan's type for the last stage; otherwise the stage's own type;
 * otherwise the type between stages. */
static swathe_type out_type(const struct chain *chain, int32_t i, swathe_type in,
                            swathe_type source, const struct op_options *options)
{
    bool last = i == chain->count - 1;
    if (last && options->type != SWATHE_TYPE_DEFAULT)
        return options->type;
    if (chain->stages[i].type != SWATHE_TYPE_DEFAULT)
        return chain->stages[i].type;
    if (options->intermediate == SWATHE_TYPE_DEFAULT)
        return in;
    return last ? source : options->intermediate;
}

/* Finds an op before `i` with the same stage, types and size. The chain shares their masks. */
static int32_t find_first(const struct chain *chain, const struct op *ops, int32_t i, int64_t width,
                          int64_t height)
{
    for (int32_t j = 0; j < i; j++)
        if (chain->stages[j].masks == chain->stages[i].masks && ops[j].in == ops[i].in &&
            ops[j].out == ops[i].out && ops[j].in_width == width && ops[j].in_height == height)
            return j;
    return i;
}

swathe_status op_bind(struct arena *arena, const struct chain *chain, const swathe_shape *source,
                      const struct op_options *options, struct op **ops)
{
    TRY(arena_new(arena, chain->count, sizeof **ops, "a plan", ops));
    swathe_type in = source->type;
    int64_t width = source->width, height = source->height;
    double magnitude = 1.0;
    for (int32_t i = 0; i < chain->count; i++) {
        struct op *op = &(*ops)[i];
        op->in = in;
        op->out = out_type(chain, i, in, source->type, options);
        op->channels = source->channels;
        op->copied = options->filter_alpha ? -1 : source->alpha - 1;
        op->first = find_first(chain, *ops, i, width, height);
        swathe_status status = SWATHE_OK;
        if (op->first < i)
            *op = (*ops)[op->first];
        else
            status = bind_stage(arena, &chain->stages[i], options, width, height, op);
        if (status != SWATHE_OK)
            return fail_within(status, "stage %d (%.40s): ", i + 1, chain->stages[i].text);
        op_bound(op, &chain->stages[i], magnitude);
        magnitude = op->bound_magnitude;
        in = op->out;
        width = op->out_width;
        height = op->out_height;
    }
    return SWATHE_OK;
}
