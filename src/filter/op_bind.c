#include "filter/op.h"

#include "base/checked.h"
#include "image/view.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Sets how far the masks of all channels extend from the anchor. */
static void set_reach(struct op *op, const struct stage *stage)
{
    for (int32_t i = 0; !op_reads_all(op) && i < stage->mask_count; i++) {
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

static swathe_status op_bind_set_size(struct op *op, int64_t width, int64_t height)
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

static swathe_status check_border(struct op *op)
{
    const struct sample_entry *entry = sample_entry(op->in);
    double v = op->border.value;
    bool fits = op->in == SWATHE_F32   ? fabs(v) <= (double)FLT_MAX
                : op->in == SWATHE_F64 ? fabs(v) <= DBL_MAX
                                       : v >= entry->lowest && v <= entry->highest && v == floor(v);
    if (!fits)
        return fail(SWATHE_ERROR_ARGUMENT, "border constant(%g) is not a value of type %s", v,
                    entry->name);
    if (op->in == SWATHE_F32)
        op->border.value = (float)v;
    return SWATHE_OK;
}

static swathe_status op_bind_set_range(struct op *op, const struct stage *stage)
{
    const struct sample_entry *entry = sample_entry(op->out);
    op->low = entry->lowest;
    op->high = entry->highest;
    if (!stage->has_clamp)
        return SWATHE_OK;
    double low = stage->clamp_low, high = stage->clamp_high;
    if (op->out == SWATHE_F32) {
        low = (float)low;
        high = (float)high;
    } else if (op->out != SWATHE_F64) {
        low = ceil(low);
        high = floor(high);
    }
    op->low = fmax(op->low, low);
    op->high = fmin(op->high, high);
    if (op->low > op->high)
        return fail(SWATHE_ERROR_ARGUMENT, "clamp=%g..%g contains no value of type %s",
                    stage->clamp_low, stage->clamp_high, entry->name);
    return SWATHE_OK;
}

/* The largest number that alpha can have: numbers are kept from the source on, so it is that of the
 * source's type, or of the narrowest type in between. In linear light it is 1. */
static struct point_range alpha_range(const struct op *ops, const struct op *op, swathe_type source)
{
    double most = point_whole(source).high;
    for (const struct op *at = ops; at < op && !sample_is_float(source); at++)
        if (at->rule == STAGE_POINT && at->points[0].curve)
            most = point_whole(at->out).high;
        else if (!sample_is_float(at->out))
            most = fmin(most, point_whole(at->out).high);
    return (struct point_range){0.0, most};
}

/* Alpha is a share, not a number: it is never fitted, and always scaled. */
static void bind_point(const struct stage *stage, const struct op *ops, swathe_type source,
                       int32_t alpha_at, struct op *op)
{
    struct point_range whole = point_whole(op->out), alpha = {0.0, whole.high};
    op->point_count = 2;
    struct point point = {.id = stage->point,
                          .in = op->in,
                          .out = op->out,
                          .bias = stage->bias,
                          .low = op->low,
                          .high = op->high,
                          .from = stage->fits ? stage->fit : point_whole(op->in),
                          .to = whole};
    op->points[0] = op->points[1] = point;
    op->other = -1;
    if (stage->point != POINT_range || alpha_at < 0)
        return;
    op->points[1].from = alpha_range(ops, op, source);
    op->points[1].to = alpha;
    op->copied = -1;
    const struct point *a = &op->points[0], *b = &op->points[1];
    if (a->from.low != b->from.low || a->from.high != b->from.high || a->to.low != b->to.low)
        op->other = alpha_at;
    op->results[alpha_at].mask = op->other >= 0;
}

/* Samples to light, or back: colours have curves, alpha is a share. */
static swathe_status bind_curves(const struct stage *stage, int32_t alpha, struct op *op)
{
    struct point point = {
        .id = stage->point, .in = op->in, .out = op->out, .low = op->low, .high = op->high};
    int32_t colours = op->channels - (alpha >= 0), n = 0;
    if (stage->curve_count > 1 && stage->curve_count != colours)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%d different curves for %d channels%s; there must be one for each, or the "
                    "same for all",
                    stage->curve_count, colours, alpha >= 0 ? " beside alpha" : "");
    for (int32_t i = 0; i < stage->curve_count; i++) {
        op->points[i] = point;
        op->points[i].curve = stage->curves[i];
    }
    op->points[stage->curve_count] = point;
    op->points[stage->curve_count].id = POINT_range;
    op->points[stage->curve_count].from = point_whole(op->in);
    op->points[stage->curve_count].to = point_whole(op->out);
    op->point_count = stage->curve_count + (alpha >= 0);
    op->copied = op->other = -1;
    for (int32_t c = 0; c < op->out_channels; c++) {
        int32_t at = c == alpha ? stage->curve_count : stage->curve_count > 1 ? n : 0;
        op->results[c] = (struct op_result){c, at};
        op->other = at > 0 ? c : op->other;
        n += c != alpha;
    }
    return SWATHE_OK;
}

/* 32-bit samples are computed in doubles, except for exact means. If all samples are integers,
 * results must not depend on the order of the sums. Functions of one sample are the same on every
 * path, as integers are, and need no conversion before or after. */
static void set_arithmetic(struct op *op, bool weighted)
{
    op->real = SWATHE_F64;
    op->integer = op->rule == STAGE_WEIGH || op->rule == STAGE_DIVIDE;
    op->ordered = weighted;
    if (weighted)
        op->real = op->in;
    if (op->integer || weighted)
        return;
    bool integers = !sample_is_float(op->in) && !sample_is_float(op->out);
    bool wide = sample_is_32(op->in) || sample_is_32(op->out);
    op->integer = op->rule == STAGE_POINT || (integers && (!wide || op->rule == STAGE_MEAN));
    op->real = wide || op->in == SWATHE_F64 || op->out == SWATHE_F64 ? SWATHE_F64 : SWATHE_F32;
    /* What is joined may become integers again. */
    bool is_stack = op->join > STAGE_JOIN_STACK && op->rule != STAGE_JOIN;
    op->ordered = (integers || (is_stack && !sample_is_float(op->in))) && !op->integer;
    if (op->rule == STAGE_JOIN) { /* computed from samples of any type, without a conversion */
        op->integer = true;
        op->ordered = false;
        op->real = op->in == SWATHE_F32 ? SWATHE_F32 : SWATHE_F64;
    }
}

/* Below 2^53 doubles hold every sum of integer taps exactly. */
static swathe_status check_ordered(const struct op *op)
{
    double most = op->gain * op->magnitude + fabs(op->bias);
    if (op->arithmetic != ARITHMETIC_contract)
        return SWATHE_OK;
    if (op->ordered && !op->weights && !(most < 0x1p53))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "sums of these taps and samples of type %s could reach %g, the limit of exact "
                    "%s results is 2^53; scale the taps down (normalise) or use type=f64",
                    sample_entry(op->in)->name, most, sample_entry(op->out)->name);
    bool integers = !sample_is_float(op->in) && !sample_is_float(op->out);
    return op->ordered && integers && !op->weights ? op_form_check(op) : SWATHE_OK;
}

/* Channels of the result that are not copied: as many as the input has, or as a mix has rows, or
 * all of the input for each mask of a stack. */
static int64_t result_colours(const struct op *op)
{
    if (op->rule == STAGE_MIX)
        return op->mask_count;
    if (op->rule == STAGE_JOIN)
        return op_colours(op) / op->joined;
    return op->join ? (int64_t)op_colours(op) * op->mask_count : op_colours(op);
}

/* A channel of the result comes from the same channel of the input, unless their numbers differ:
 * then the copied channel is the last one. */
static swathe_status set_results(struct arena *arena, struct op *op)
{
    int64_t all = result_colours(op) + (op->copied >= 0);
    if (all > VIEW_CHANNELS_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the result would have %" PRId64 " channels, the limit is %d", all,
                    VIEW_CHANNELS_MAX);
    int32_t colours = (int32_t)result_colours(op), n = 0;
    int32_t each = op_colours(op) > 0 ? op_colours(op) : 1; /* an image may be alpha alone */
    bool moves = colours != op_colours(op) || op->rule == STAGE_JOIN;
    op->out_channels = (int32_t)all;
    TRY(arena_new(arena, op->out_channels, sizeof *op->results, "channels", &op->results));
    for (int32_t c = 0; c < op->out_channels; c++) {
        bool copied = op->copied >= 0 && c == (moves ? colours : op->copied);
        struct op_result colour = {op_colour_plane(op, n % each), 0};
        if (op->rule == STAGE_MIX)
            colour.mask = n;
        else if (op->join && op->rule == STAGE_DENSE)
            colour.mask = n / each;
        else if (op->mask_count > 1)
            colour.mask = c;
        op->results[c] = copied ? (struct op_result){op->copied, -1} : colour;
        n += !copied;
    }
    return SWATHE_OK;
}

static swathe_status check_mask_count(const struct op *op, const struct stage *stage)
{
    if (op->rule == STAGE_MIX && stage->masks[0].width != op_colours(op))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "rows of %d factors for %d channels%s; give one factor for each",
                    stage->masks[0].width, op_colours(op), op->copied >= 0 ? " beside alpha" : "");
    if (op->rule != STAGE_MIX && !op->join && stage->mask_count > 1 &&
        stage->mask_count != op->channels)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%d masks for %d channels; give one, or one per channel, or join their results "
                    "(join=hypot)",
                    stage->mask_count, op->channels);
    return SWATHE_OK;
}

/* Samples outside the image have the type of the input, before it is weighed. */
static swathe_status bind_weighted(struct arena *arena, const struct stage *stage, int64_t width,
                                   int64_t height, struct op_weights *state, struct op *op)
{
    if (op->rule == STAGE_WEIGH) {
        op->border = state->border;
        TRY(check_border(op));
        state->border = op->border;
        op->border = (struct border){BORDER_REFLECT, 0.0};
    }
    set_reach(op, stage);
    TRY(op_bind_set_size(op, width, height));
    TRY(op_bind_set_range(op, stage));
    if (op->rule == STAGE_WEIGH)
        TRY(op_weights_weigh(arena, stage, state, op));
    else if (op->rule == STAGE_DIVIDE)
        TRY(op_weights_divide(arena, state, op));
    else
        TRY(op_weights_filter(arena, stage, state, op));
    op_taps_count(op);
    return SWATHE_OK;
}

static swathe_status bind_stage(struct arena *arena, const struct stage *stage,
                                const struct op_options *options, int64_t width, int64_t height,
                                struct op_weights *state, struct op *op)
{
    op->text = stage->text;
    op->array = stage->array;
    op->rule = stage->rule;
    op->join = stage->join;
    op->joined = stage->joined;
    if (op->rule != STAGE_POINT && !op_reads_all(op))
        op->border = stage->has_border ? stage->border : options->border;
    set_arithmetic(op, stage->weighted);
    TRY(op_arithmetic_set(options->arithmetic, op));
    op->dilate_x = stage->dilate_x;
    op->dilate_y = stage->dilate_y;
    op->bias = op->real == SWATHE_F32 ? (float)stage->bias : stage->bias;
    if (op->rule == STAGE_WEIGH || op->rule == STAGE_DIVIDE || stage->weighted)
        return bind_weighted(arena, stage, width, height, state, op);
    TRY(check_mask_count(op, stage));
    set_reach(op, stage);
    TRY(op_bind_set_size(op, width, height));
    TRY(check_border(op));
    TRY(op_bind_set_range(op, stage));
    op_arithmetic_limit(op);
    TRY(op_form_bind(arena, stage, op));
    op_taps_count(op);
    return set_results(arena, op);
}

/* The type of weighted samples and of their sums. Floats suffice for a gaussian of u8 with alpha,
 * whose products are integers of 16 bits: its error stays far below a level. */
static swathe_type sums_type(const struct stage *stage, swathe_type in, swathe_type result)
{
    bool gaussian = stage->weighs == STAGE_TWO_PASS && stage->term_count == 1;
    bool is_short = stage->by_alpha && gaussian && in == SWATHE_U8 && result == SWATHE_U8;
    return is_short ? SWATHE_F32 : SWATHE_F64;
}

/* The type of a stage's result: the plan's type for the last stage; otherwise the stage's own type;
 * otherwise the type between stages. `in` is the type of the input of the stage that it is a part
 * of. */
static swathe_type out_type(const struct chain *chain, int32_t i, swathe_type in,
                            swathe_type source, const struct op_options *options)
{
    bool last = i == options->own - 1;
    const struct stage *stage = &chain->stages[i];
    if (stage->rule == STAGE_WEIGH || stage->weighted) {
        int32_t divides = stage->weighted ? i + 1 : i + 2;
        return sums_type(stage, in, out_type(chain, divides, in, source, options));
    }
    if (i + 1 < chain->count && chain->stages[i + 1].rule == STAGE_JOIN)
        return join_between(&chain->stages[i], in);
    if (last && options->type != SWATHE_TYPE_DEFAULT)
        return options->type;
    if (chain->stages[i].type != SWATHE_TYPE_DEFAULT)
        return chain->stages[i].type;
    if (options->intermediate == SWATHE_TYPE_DEFAULT)
        return in;
    return last ? source : options->intermediate;
}

/* Is it the first of the stages that a stage of the chain was replaced by? */
static bool op_bind_begins(const struct stage *stage)
{
    return stage->rule != STAGE_JOIN && stage->rule != STAGE_DIVIDE && !stage->weighted;
}

swathe_type op_result_type(const struct chain *chain, const swathe_shape *source,
                           const struct op_options *options)
{
    swathe_type type = source->type, given = type;
    for (int32_t i = 0; i < chain->count; i++) {
        if (op_bind_begins(&chain->stages[i]))
            given = type;
        type = out_type(chain, i, given, source->type, options);
    }
    return type;
}

static bool same_rule(const struct weights_rule *a, const struct weights_rule *b)
{
    return a->kind == b->kind && (a->kind != WEIGHTS_VALUE || a->none == b->none);
}

/* Have the ops `i` and `j` the same weights? */
static bool same_weights(const struct chain *chain, const struct op *ops, int32_t i, int32_t j,
                         const struct op_weights *state)
{
    const struct stage *stage = &chain->stages[i];
    if (stage->rule == STAGE_WEIGH)
        return same_rule(&ops[j].weights->missing.rule, &state->rule) &&
               ops[j].weights->quotient.top == state->top &&
               ops[j].weights->planes.alpha == state->alpha;
    if (stage->rule == STAGE_DIVIDE || stage->weighted)
        return chain->stages[j].weighted == stage->weighted &&
               ops[j - 1].weights == ops[i - 1].weights;
    return !chain->stages[j].weighted && same_rule(&ops[j].before, &state->rule);
}

/* Finds an op before `i` with the same stage, types and size. The chain shares their masks. */
static int32_t op_bind_find_first(const struct chain *chain, const struct op *ops, int32_t i,
                                  int64_t width, int64_t height, const struct op_weights *state)
{
    for (int32_t j = 0; j < i; j++)
        if (chain->stages[j].masks == chain->stages[i].masks &&
            chain->stages[j].rule == chain->stages[i].rule && ops[j].in == ops[i].in &&
            ops[j].out == ops[i].out && ops[j].in_width == width && ops[j].in_height == height &&
            ops[j].channels == ops[i].channels && ops[j].copied == ops[i].copied &&
            same_weights(chain, ops, i, j, state))
            return j;
    return i;
}

/* The index of alpha after an op that has it at `alpha` in its input; -1: none. */
static int32_t next_alpha(const struct op *op, int32_t alpha)
{
    for (int32_t c = 0; c < op->out_channels; c++)
        if (op->results[c].mask < 0)
            return c;
    return op->rule == STAGE_MIX || op->channels != op->out_channels ? -1 : alpha;
}

/* Results of joins and of functions of one sample are missing if a sample is. */
static swathe_status bind_missing(struct arena *arena, const struct op_weights *state,
                                  struct op *op)
{
    enum weights_kind kind = state->rule.kind;
    if ((op->rule != STAGE_JOIN && op->rule != STAGE_POINT) ||
        (kind != WEIGHTS_VALUE && kind != WEIGHTS_NAN))
        return SWATHE_OK;
    struct weights_missing *missing;
    TRY(arena_new(arena, 1, sizeof *missing, "missing data", &missing));
    struct weights_rule next = weights_rule_in(&state->rule, op->out);
    bool range = op->rule == STAGE_POINT && op->points[0].id == POINT_range;
    *missing = (struct weights_missing){
        .rule = state->rule, .out = op->out, .none = next.kind == WEIGHTS_NAN ? NAN : next.none};
    if (range && kind == WEIGHTS_VALUE)
        missing->none = point_apply(&op->points[0], state->rule.none);
    op->missing = op->points[0].missing = missing;
    if (range && state->alpha >= 0) { /* alpha is never missing */
        op->other = state->alpha;
        op->results[op->other].mask = 1;
    }
    return SWATHE_OK;
}

/* A mix has no taps whose share could be missing, and integers have no NaN that spreads. */
static swathe_status check_mix(const struct op *op, const struct weights_rule *rule)
{
    if (op->rule == STAGE_MIX &&
        (rule->kind == WEIGHTS_VALUE || (rule->kind == WEIGHTS_NAN && !sample_is_float(op->out))))
        return fail_about(
            SWATHE_ERROR_ARGUMENT, "nodata",
            "channels with missing samples can be mixed only in floats that are missing by "
            "NaN; use nodata nan and type=f32");
    return SWATHE_OK;
}

static swathe_status bind_op(struct arena *arena, const struct chain *chain,
                             const swathe_shape *source, const struct op_options *options,
                             int32_t i, int64_t width, int64_t height, struct op_weights *state,
                             struct op *ops)
{
    const struct stage *stage = &chain->stages[i];
    struct op *op = &ops[i];
    bool weighted = op->rule == STAGE_WEIGH || op->rule == STAGE_DIVIDE || stage->weighted;
    op->copied = state->filter_alpha || weighted ? -1 : state->alpha;
    op->other = -1;
    op->before = state->rule;
    state->top = alpha_range(ops, op, source->type).high;
    if (!stage->weighted) /* otherwise that of the weighing, rounded to the type of its input */
        state->border = stage->has_border ? stage->border : options->border;
    TRY(check_mix(op, &state->rule));
    op->first = op_bind_find_first(chain, ops, i, width, height, state);
    if (op->first < i) {
        *op = ops[op->first];
        if (op->rule == STAGE_WEIGH)
            state->bound = op->weights;
        return SWATHE_OK;
    }
    TRY(bind_stage(arena, stage, options, width, height, state, op));
    if (stage->curve_count > 0)
        return bind_curves(stage, state->alpha, op);
    if (op->rule == STAGE_POINT)
        bind_point(stage, ops, source->type, state->alpha, op);
    return bind_missing(arena, state, op);
}

/* The rule for the results of an op: missing ones may have another value. */
static void advance_rule(const struct op *op, struct weights_rule *rule)
{
    bool ends = op->rule == STAGE_DIVIDE || op->rule == STAGE_JOIN || op->rule == STAGE_POINT;
    if (!op->missing || !ends)
        return;
    *rule = weights_rule_in(rule, op->out);
    if (rule->kind == WEIGHTS_VALUE)
        rule->none = op->missing->none;
}

/* Names the stage as the user counts it: a part of it by its filter. */
static swathe_status fail_in_stage(swathe_status status, const struct chain *chain, int32_t i)
{
    int32_t number = 0;
    for (int32_t j = 0; j <= i; j++)
        number += op_bind_begins(&chain->stages[j]);
    const struct stage *stage = &chain->stages[i];
    if (stage->rule == STAGE_WEIGH || stage->rule == STAGE_DIVIDE)
        stage += stage->rule == STAGE_WEIGH ? 1 : -1;
    return fail_within(status, "stage %d (%.40s): ", number, stage->text);
}

swathe_status op_bind(struct arena *arena, const struct chain *chain, const swathe_shape *source,
                      struct op_options *options, struct op **ops)
{
    TRY(arena_new(arena, chain->count, sizeof **ops, "a plan", ops));
    swathe_type in = source->type, given = in;
    int64_t width = source->width, height = source->height;
    int32_t channels = source->channels;
    bool is_mask = options->weights.kind == WEIGHTS_MASK; /* then alpha is not like a colour */
    struct op_weights state = {.rule = options->weights,
                               .alpha = source->alpha - 1,
                               .filter_alpha = options->filter_alpha && !is_mask};
    double magnitude = 1.0;
    for (int32_t i = 0; i < chain->count; i++) {
        struct op *op = &(*ops)[i];
        given = op_bind_begins(&chain->stages[i]) ? in : given;
        op->in = in;
        op->out = out_type(chain, i, given, source->type, options);
        op->rule = chain->stages[i].rule;
        op->channels = channels;
        swathe_status status =
            bind_op(arena, chain, source, options, i, width, height, &state, *ops);
        if (status == SWATHE_OK) {
            op_bound(op, &chain->stages[i], magnitude);
            status = check_ordered(op);
        }
        if (status != SWATHE_OK)
            return fail_in_stage(status, chain, i);
        magnitude = op->bound_magnitude;
        in = op->out;
        width = op->out_width;
        height = op->out_height;
        channels = op->out_channels;
        advance_rule(op, &state.rule);
        if (op->rule == STAGE_DIVIDE)
            state.alpha = op->alpha;
        else if (op->rule != STAGE_WEIGH && !chain->stages[i].weighted)
            op->alpha = state.alpha = next_alpha(op, state.alpha);
    }
    options->weights = state.rule;
    return SWATHE_OK;
}
