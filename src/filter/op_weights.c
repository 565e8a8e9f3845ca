#include "filter/op.h"

#include "image/view.h"

#include <math.h>
#include <string.h>

/* ---- Which planes there are --------------------------------------------------------------------
 */

struct signs {
    bool positive, negative;
};

static struct signs signs_of(const double *taps, int64_t count)
{
    struct signs signs = {false, false};
    for (int64_t i = 0; i < count; i++) {
        signs.positive |= taps[i] > 0.0;
        signs.negative |= taps[i] < 0.0;
    }
    return signs;
}

/* Terms of both signs may cancel, so that their sums are no measure of what is present. */
static bool terms_have_both_signs(const struct stage *stage)
{
    bool positive = false, negative = false;
    for (int32_t t = 0; t < stage->term_count; t++) {
        struct signs down = signs_of(stage->terms[t].down, stage->masks[0].height);
        struct signs across = signs_of(stage->terms[t].across, stage->masks[0].width);
        positive |= (down.positive && across.positive) || (down.negative && across.negative);
        negative |= (down.positive && across.negative) || (down.negative && across.positive);
    }
    return positive && negative;
}

static bool has_both_signs(const struct stage *stage)
{
    if (stage->weighs == STAGE_TWO_PASS)
        return stage->term_count > 1 && terms_have_both_signs(stage);
    for (int32_t m = 0; m < stage->mask_count; m++) {
        struct signs signs = signs_of(stage->masks[m].k, mask_taps(&stage->masks[m]));
        if (signs.positive && signs.negative)
            return true;
    }
    return false;
}

static bool by_channel(const struct weights_rule *rule)
{
    return rule->kind == WEIGHTS_ALPHA || rule->kind == WEIGHTS_MASK;
}

/* The plane of the input that is the n-th filtered one. */
static int32_t colour_plane(const struct weights *weights, int32_t n)
{
    const struct weights_planes *planes = &weights->planes;
    int32_t other = planes->channel >= 0 ? planes->channel : planes->copied;
    return n + (other >= 0 && n >= other);
}

/* Is a product not the sample itself, where it is present and the results depend on it? */
static bool needs_samples(const struct weights *weights)
{
    return weights->quotient.centred && weights->missing.rule.kind == WEIGHTS_ALPHA;
}

static void op_weights_add_result(struct op *op, int32_t plane, int32_t mask)
{
    op->results[op->out_channels++] = (struct op_result){plane, mask};
}

static swathe_status new_results(struct arena *arena, int64_t count, struct op *op)
{
    if (count > VIEW_CHANNELS_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "samples with weights (alpha, nodata) need %lld planes here, the limit is %d",
                    (long long)count, VIEW_CHANNELS_MAX);
    op->out_channels = 0;
    return arena_new(arena, count, sizeof *op->results, "channels", &op->results);
}

static swathe_status check_rule(const struct op *op, const struct stage *stage,
                                const struct weights *weights)
{
    if (weights->missing.rule.kind == WEIGHTS_MASK && weights->planes.channel < 0)
        return fail(SWATHE_ERROR_ARGUMENT, "nodata mask: the image has no alpha channel");
    if (weights->quotient.centred && weights->missing.rule.least > 0.0)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "nodata least=%g: applies to masks without negative taps only",
                    weights->missing.rule.least);
    if (!stage->join && stage->mask_count > 1 && stage->mask_count != op->channels)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%d masks for %d channels; give one, or one per channel, or join their results "
                    "(join=hypot)",
                    stage->mask_count, op->channels);
    return SWATHE_OK;
}

/* Are the planes those of the input, and alpha the last one? */
static bool keeps_pixels(const struct op *op, const struct weights *weights)
{
    return weights->missing.rule.kind == WEIGHTS_ALPHA && weights->most == 255.0 &&
           !weights->quotient.centred && weights->planes.channel == op->channels - 1 &&
           (op->channels == 2 || op->channels == 4);
}

/* Planes: products, weights, then the samples themselves where the products do not suffice, then
 * the plane that is copied. */
swathe_status op_weights_weigh(struct arena *arena, const struct stage *stage,
                               struct op_weights *state, struct op *op)
{
    struct weights *weights;
    TRY(arena_new(arena, 1, sizeof *weights, "weights", &weights));
    struct weights_planes *planes = &weights->planes;
    struct weights_quotient *quotient = &weights->quotient;
    bool channel = by_channel(&state->rule);
    weights->missing.rule = state->rule;
    if (state->rule.kind == WEIGHTS_NONE)
        weights->missing.rule = (struct weights_rule){.kind = WEIGHTS_BORDER};
    quotient->top = state->top;
    weights->most = state->rule.kind == WEIGHTS_ALPHA ? state->top : 1.0;
    weights->edge = state->border.mode == BORDER_MISSING ? 0.0 : fabs(state->border.value);
    quotient->centred = has_both_signs(stage);
    planes->alpha = state->alpha;
    planes->channel = channel ? state->alpha : -1;
    planes->copied = channel || state->filter_alpha ? -1 : state->alpha;
    planes->colours = op->channels - (planes->channel >= 0 || planes->copied >= 0);
    planes->weights = channel || weights->missing.rule.kind == WEIGHTS_BORDER ? 1 : planes->colours;
    TRY(check_rule(op, stage, weights));
    TRY(new_results(arena, 3 * (int64_t)planes->colours + 2, op));
    for (int32_t n = 0; n < planes->colours; n++)
        op_weights_add_result(op, colour_plane(weights, n), OP_PRODUCT);
    /* For any samples, even if all are alpha. */
    bool same = weights->missing.rule.kind == WEIGHTS_BORDER;
    for (int32_t n = 0; n < planes->weights; n++)
        op_weights_add_result(op,
                              channel ? planes->channel
                              : same  ? 0
                                      : colour_plane(weights, n),
                              OP_WEIGHT);
    for (int32_t n = 0; needs_samples(weights) && n < planes->colours; n++)
        op_weights_add_result(op, colour_plane(weights, n), OP_SAMPLE);
    if (planes->copied >= 0)
        op_weights_add_result(op, planes->copied, -1);
    weights->pixels = keeps_pixels(op, weights) && op->out == SWATHE_F32;
    op->weights = state->bound = weights;
    return SWATHE_OK;
}

/* ---- Taps of the sums --------------------------------------------------------------------------
 */

/* Copies taps in the type of the sums. */
static swathe_status set_taps(struct arena *arena, const struct weights *weights,
                              const struct mask *mask, struct op_taps *taps)
{
    int64_t count = (int64_t)mask->width * mask->height;
    *taps = (struct op_taps){.width = mask->width,
                             .height = mask->height,
                             .anchor_x = mask->anchor_x,
                             .anchor_y = mask->anchor_y};
    if (weights->single) {
        TRY(arena_new_raw(arena, count, sizeof *taps->f, "taps", &taps->f));
        for (int64_t i = 0; i < count; i++)
            taps->f[i] = (float)mask->k[i];
        return SWATHE_OK;
    }
    TRY(arena_new_raw(arena, count, sizeof *taps->d, "taps", &taps->d));
    memcpy(taps->d, mask->k, (size_t)count * sizeof *taps->d);
    return SWATHE_OK;
}

/* sum + Σ k·m for weights of m, in the order of the definition. */
static double op_weights_add_taps(const struct op_taps *taps, double m, double sum)
{
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
        if (!op_tap_is_zero(taps, i))
            sum =
                taps->f ? (double)fmaf(taps->f[i], (float)m, (float)sum) : fma(taps->d[i], m, sum);
    return sum;
}

/* A box has taps of 1, one pass down and one across. */
static swathe_status set_ones(struct arena *arena, int32_t width, int32_t height, int32_t anchor,
                              struct op_taps *taps)
{
    int32_t count = width * height;
    *taps = (struct op_taps){.width = width, .height = height};
    *(width > 1 ? &taps->anchor_x : &taps->anchor_y) = anchor;
    TRY(arena_new_raw(arena, count, sizeof *taps->d, "taps", &taps->d));
    for (int32_t i = 0; i < count; i++)
        taps->d[i] = 1.0;
    return SWATHE_OK;
}

static swathe_status bind_term(struct arena *arena, const struct stage *stage,
                               const struct stage_term *from, const struct weights *weights,
                               struct op_term *term)
{
    const struct mask *mask = &stage->masks[0];
    if (stage->rule == STAGE_MEAN) {
        TRY(set_ones(arena, 1, mask->height, mask->anchor_y, &term->down));
        return set_ones(arena, mask->width, 1, mask->anchor_x, &term->across);
    }
    struct mask down = {1, mask->height, 0, mask->anchor_y, from->down};
    struct mask across = {mask->width, 1, mask->anchor_x, 0, from->across};
    TRY(set_taps(arena, weights, &down, &term->down));
    return set_taps(arena, weights, &across, &term->across);
}

static swathe_status op_weights_bind_passes(struct arena *arena, const struct stage *stage,
                                            struct weights *weights, struct op *op)
{
    struct weights_quotient *quotient = &weights->quotient;
    const struct mask *mask = &stage->masks[0];
    bool mean = stage->rule == STAGE_MEAN;
    op->rule = STAGE_TWO_PASS;
    op->term_count = mean ? 1 : stage->term_count;
    TRY(arena_new(arena, op->term_count, sizeof *op->terms, "taps", &op->terms));
    quotient->sums[0].all = 0.0;
    for (int32_t t = 0; t < op->term_count; t++) {
        struct op_term *term = &op->terms[t];
        TRY(bind_term(arena, stage, mean ? NULL : &stage->terms[t], weights, term));
        quotient->sums[0].all =
            op_weights_add_taps(&term->across, op_weights_add_taps(&term->down, weights->most, 0.0),
                                quotient->sums[0].all);
    }
    quotient->sums[0].unit = mean ? (double)mask_taps(mask) * weights->most : weights->most;
    return SWATHE_OK;
}

static swathe_status op_weights_bind_masks(struct arena *arena, const struct stage *stage,
                                           struct weights *weights, struct op *op)
{
    struct weights_quotient *quotient = &weights->quotient;
    op->rule = STAGE_DENSE;
    op->mask_count = stage->mask_count;
    TRY(arena_new(arena, op->mask_count, sizeof *op->masks, "masks", &op->masks));
    for (int32_t m = 0; m < stage->mask_count; m++) {
        TRY(set_taps(arena, weights, &stage->masks[m], &op->masks[m]));
        quotient->sums[m].all = op_weights_add_taps(&op->masks[m], weights->most, 0.0);
        quotient->sums[m].unit = weights->most;
    }
    return SWATHE_OK;
}

/* ---- Planes of sums ----------------------------------------------------------------------------
 */

/* The plane of sums of a plane of weights and a mask, which is added if it is new. */
static int32_t weight_plane(struct op *op, int32_t first, int32_t plane, int32_t mask)
{
    for (int32_t i = first; i < op->out_channels; i++)
        if (op->results[i].plane == plane && op->results[i].mask == mask)
            return i;
    op_weights_add_result(op, plane, mask);
    return op->out_channels - 1;
}

static int32_t mask_of(const struct stage *stage, const struct weights *weights, int32_t result)
{
    const struct weights_planes *planes = &weights->planes;
    if (stage->join)
        return result / (planes->colours > 0 ? planes->colours : 1);
    if (stage->mask_count == 1)
        return 0;
    return result < planes->results ? colour_plane(weights, result) : planes->channel;
}

static void add_sums(const struct stage *stage, struct weights *weights, struct op *op)
{
    const struct weights_planes *planes = &weights->planes;
    struct weights_quotient *quotient = &weights->quotient;
    for (int32_t i = 0; i < planes->results; i++) {
        quotient->part[i] = (struct weights_part){
            .sum = i, .mask = mask_of(stage, weights, i), .centre = -1, .sample = -1};
        op_weights_add_result(op, i % planes->colours, quotient->part[i].mask);
    }
    quotient->parts = planes->results;
    if (planes->channel >= 0) {
        int32_t mask = stage->join ? 0 : mask_of(stage, weights, planes->results);
        quotient->part[quotient->parts++] =
            (struct weights_part){.mask = mask, .centre = -1, .sample = -1, .is_weight = true};
    }
    for (int32_t i = 0; i < quotient->parts; i++) {
        struct weights_part *part = &quotient->part[i];
        int32_t own = planes->weights > 1 ? i % planes->colours : 0;
        part->weight = weight_plane(op, planes->results, planes->colours + own, part->mask);
    }
}

/* Copies the weights and the samples at the centre, if the results depend on them. */
static void add_centres(struct weights *weights, struct op *op)
{
    const struct weights_planes *planes = &weights->planes;
    struct weights_quotient *quotient = &weights->quotient;
    enum weights_kind kind = weights->missing.rule.kind;
    bool stays = kind != WEIGHTS_ALPHA && kind != WEIGHTS_BORDER && !weights->missing.rule.fill;
    int32_t first = op->out_channels, samples = first;
    if (quotient->centred || stays) {
        for (int32_t n = 0; n < planes->weights; n++)
            op_weights_add_result(op, planes->colours + n, -1);
        samples = op->out_channels;
        for (int32_t i = 0; i < quotient->parts; i++)
            quotient->part[i].centre = first + (planes->weights > 1 ? i % planes->colours : 0);
    }
    if (!quotient->centred)
        return;
    for (int32_t n = 0; n < planes->colours; n++)
        op_weights_add_result(
            op, needs_samples(weights) ? planes->colours + planes->weights + n : n, -1);
    for (int32_t i = 0; i < planes->results; i++)
        quotient->part[i].sample = samples + i % planes->colours;
}

/* Outside the image, samples of the border's value have their own weight. */
static swathe_status set_outside(struct arena *arena, const struct op_weights *state, struct op *op)
{
    const struct weights *weights = state->bound;
    const struct weights_planes *planes = &weights->planes;
    double value = state->border.value, weight = weights_of(weights, value);
    if (state->border.mode == BORDER_MISSING)
        weight = 0.0;
    TRY(arena_new(arena, op->channels, sizeof *op->outside, "a border", &op->outside));
    for (int32_t c = 0; c < planes->colours; c++)
        op->outside[c] = weights_product(value, weight);
    for (int32_t c = planes->colours; c < planes->colours + planes->weights; c++)
        op->outside[c] = weight;
    return SWATHE_OK;
}

swathe_status op_weights_filter(struct arena *arena, const struct stage *stage,
                                struct op_weights *state, struct op *op)
{
    struct weights *weights = state->bound;
    struct weights_planes *planes = &weights->planes;
    struct weights_quotient *quotient = &weights->quotient;
    weights->single = op->real == SWATHE_F32;
    planes->results = planes->colours * (stage->join ? stage->mask_count : 1);
    TRY(arena_new(arena, stage->mask_count, sizeof *quotient->sums, "sums", &quotient->sums));
    TRY(arena_new(arena, (int64_t)planes->results + 1, sizeof *quotient->part, "sums",
                  &quotient->part));
    TRY(stage->rule == STAGE_DENSE ? op_weights_bind_masks(arena, stage, weights, op)
                                   : op_weights_bind_passes(arena, stage, weights, op));
    TRY(new_results(arena, 4 * (int64_t)planes->results + 3, op));
    add_sums(stage, weights, op);
    add_centres(weights, op);
    if (planes->copied >= 0)
        op_weights_add_result(op, op->channels - 1, -1);
    op->weights = weights;
    return set_outside(arena, state, op);
}

/* The results in the order that they have without weights. */
swathe_status op_weights_divide(struct arena *arena, struct op_weights *state, struct op *op)
{
    struct weights *weights;
    const struct weights *bound = state->bound;
    const struct weights_planes *planes = &bound->planes;
    int32_t other = planes->channel >= 0 ? planes->channel : planes->copied;
    TRY(arena_new(arena, 1, sizeof *weights, "weights", &weights));
    struct weights_quotient *quotient = &weights->quotient;
    *weights = *bound;
    weights->missing.out = op->out;
    struct weights_rule next = weights_rule_in(&weights->missing.rule, op->out);
    bool by_value = next.kind == WEIGHTS_VALUE;
    weights->missing.none = by_value ? next.none : next.kind == WEIGHTS_NAN ? NAN : 0.0;
    quotient->bias = op->bias;
    quotient->low = op->low;
    quotient->high = op->high;
    weights->pixels &=
        op->out == SWATHE_U8 && op->bias == 0.0 && op->low == 0.0 && op->high == 255.0;
    TRY(new_results(arena, (int64_t)planes->results + 1, op));
    int32_t at = planes->results != planes->colours ? planes->results : other;
    for (int32_t n = 0; n <= planes->results; n++) {
        if (other >= 0 && op->out_channels == at)
            op_weights_add_result(op, planes->channel >= 0 ? 0 : op->channels - 1,
                                  planes->channel >= 0 ? quotient->parts - 1 : -1);
        if (n < planes->results)
            op_weights_add_result(op, n, n);
    }
    bool same = planes->results == planes->colours; /* alpha that is filtered stays there */
    op->alpha = other >= 0 ? at : same ? state->alpha : -1;
    op->weights = weights;
    op->missing = &weights->missing;
    return SWATHE_OK;
}

/* ---- One op for three --------------------------------------------------------------------------
 */

/* What samples outside the image must be so that they have the right weight. */
static double outside_value(const struct op *filter, const struct weights *weights,
                            swathe_type type)
{
    if (filter->border.mode == BORDER_MISSING)
        return weights->missing.rule.kind == WEIGHTS_NAN ? NAN : weights->missing.rule.none;
    return weights_value_in(filter->border.value, type);
}

/* The channels of the result are those that the division makes of planes of sums. */
static swathe_status join_results(struct arena *arena, const struct op *divide, struct op *op)
{
    op->out_channels = divide->out_channels;
    TRY(arena_new(arena, op->out_channels, sizeof *op->results, "channels", &op->results));
    for (int32_t c = 0; c < op->out_channels; c++) {
        struct op_result from = divide->results[c];
        op->results[c] = from.mask < 0
                             ? (struct op_result){op->copied, -1}
                             : (struct op_result){colour_plane(op->weights, from.plane), 0};
    }
    return SWATHE_OK;
}

swathe_status op_weights_join(struct arena *arena, const struct op *three, struct op *op,
                              bool *joined)
{
    const struct op *filter = &three[1], *divide = &three[2];
    const struct weights *weights = divide->weights;
    const struct weights_planes *planes = &weights->planes;
    bool by_value =
        weights->missing.rule.kind == WEIGHTS_VALUE || weights->missing.rule.kind == WEIGHTS_NAN;
    *joined = filter->rule == STAGE_TWO_PASS && by_value && !weights->quotient.centred &&
              planes->results == planes->colours && planes->results > 0;
    if (!*joined)
        return SWATHE_OK;
    *op = *filter;
    op->rule = STAGE_WEIGHTED;
    op->in = three->in;
    op->out = divide->out;
    op->channels = three->channels;
    op->copied = planes->copied;
    op->alpha = divide->alpha;
    op->before = three->before;
    op->weights = divide->weights;
    op->missing = divide->missing;
    op->bias = divide->bias;
    op->low = divide->low;
    op->high = divide->high;
    op->border.value = outside_value(filter, weights, op->in);
    op->outside = NULL;
    op->magnitude = three->magnitude;
    op->gain = divide->gain; /* the bounds of the three are those of the last */
    op->error_bound = divide->error_bound;
    op->bound_magnitude = divide->bound_magnitude;
    return join_results(arena, divide, op);
}
