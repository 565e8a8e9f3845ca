/* Stages that compute a pixel from the samples of the same pixel: kernels/pixel.cl. */
#include "base/checked.h"
#include "filter/weights.h"
#include "gpu/stages/stage_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool stage_is_pixel(const struct op *op)
{
    return op->rule == STAGE_POINT || op_reads_all(op);
}

/* Are results looked up in a table of all values of the input's type? */
static bool uses_table(const struct op *op)
{
    return op->rule == STAGE_POINT && sample_size(op->in) <= 2;
}

/* |v| of f32 is the same number in floats as in doubles, unless a bias is added. */
static bool is_abs_of_floats(const struct op *op)
{
    return op->points[0].id == POINT_abs && op->points[0].bias == 0.0 && op->in == SWATHE_F32;
}

struct gpu_needs gpu_stage_needs(const struct op *op)
{
    bool f64 = op->in == SWATHE_F64 || op->out == SWATHE_F64;
    bool wide = op->in == SWATHE_F32 && sample_is_32(op->out); /* which floats cannot clamp to */
    if (uses_table(op))
        return (struct gpu_needs){false, f64};
    if ((op->weights || op->missing) && stage_is_pixel(op))
        return (struct gpu_needs){op->rule == STAGE_JOIN && op->real == SWATHE_F32, true};
    if (op->rule == STAGE_POINT)
        return (struct gpu_needs){true, f64 || wide || !is_abs_of_floats(op)};
    if (op->rule == STAGE_JOIN)
        return (struct gpu_needs){op->real == SWATHE_F32, op->real == SWATHE_F64 || f64 || wide};
    return (struct gpu_needs){!op->integer && op->real == SWATHE_F32,
                              !op->integer && op->real == SWATHE_F64};
}

/* Number of different functions. */
static int32_t point_count(const struct op *op)
{
    int32_t count = 1;
    for (int32_t c = 0; c < op->out_channels; c++)
        count = op->results[c].mask >= count ? op->results[c].mask + 1 : count;
    return count;
}

/* `fields` integers for each channel of the result, then other parameters. */
static swathe_status new_parameters(struct arena *arena, struct gpu_stage *stage, int64_t fields,
                                    int64_t size, int32_t **integers, void *parameters)
{
    int64_t count = size_mul(stage->op->out_channels, fields);
    int64_t at = round_up(size_mul(count, (int64_t)sizeof(int32_t)), 8), bytes = size_add(at, size);
    char *data;
    TRY(arena_new(arena, bytes, 1, "tables for a GPU", &data));
    stage->taps = data;
    stage->tap_bytes = bytes;
    *integers = (int32_t *)(void *)data;
    *(void **)parameters = data + at;
    return stage_option(arena, stage, "PARAMETERS_AT", at);
}

/* The number of the function of each channel, then `size` bytes for each function. */
static swathe_status new_points(struct arena *arena, struct gpu_stage *stage, int64_t size,
                                char **points)
{
    const struct op *op = stage->op;
    int32_t *numbers;
    TRY(new_parameters(arena, stage, 1, size_mul(point_count(op), size), &numbers, points));
    for (int32_t c = 0; c < op->out_channels; c++)
        numbers[c] = op->results[c].mask;
    return SWATHE_OK;
}

/* Which samples are missing, the value of results that are, and what takes its place in others;
 * NaN: nothing. In the order of kernels/pixel.cl. */
struct missing {
    double value, nans, none, forbidden, instead;
};

static struct missing missing_of(const struct weights_missing *from)
{
    struct missing missing = {NAN, 0.0, 0.0, NAN, 0.0};
    if (!from)
        return missing;
    if (from->rule.kind == WEIGHTS_VALUE)
        missing.value = from->rule.none;
    missing.nans = from->rule.kind == WEIGHTS_NAN;
    missing.none = from->none;
    missing.instead = weights_present(from, from->none);
    if (missing.instead != missing.none) /* also if it is NaN, which no result equals */
        missing.forbidden = from->none;
    return missing;
}

/* The results of all samples, in the order of their values. */
static swathe_status make_tables(struct arena *arena, struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    int64_t count = sample_size(op->in) == 1 ? 256 : 65536, size = sample_size(op->out);
    double lowest = sample_entry(op->in)->lowest;
    char *to;
    TRY(new_points(arena, stage, count * size, &to));
    for (int32_t p = 0; p < point_count(op); p++)
        for (int64_t i = 0; i < count; i++, to += size)
            sample_store(to, op->out, point_apply(&op->points[p], lowest + (double)i));
    return stage_option(arena, stage, "POINT_table", 1);
}

/* In the order of kernels/pixel.cl. */
struct function {
    double bias, from_low, from_high, to_low, to_high, exact;
    double encodes; /* a curve of light; otherwise a range */
    struct missing missing;
};

/* The light that becomes each sample of a curve, after the functions. */
static swathe_status put_curves(struct arena *arena, struct gpu_stage *stage, char *to)
{
    const struct op *op = stage->op;
    int64_t count = (int64_t)op->points[0].curve->most + 2, size = count * (int64_t)sizeof(float);
    to += point_count(op) * (int64_t)sizeof(struct function);
    for (int32_t p = 0; p < point_count(op); p++)
        if (op->points[p].id == POINT_encode)
            memcpy(to + p * size, op->points[p].curve->from, (size_t)size);
    TRY(stage_option(arena, stage, "FUNCTIONS", point_count(op)));
    return stage_option(arena, stage, "CURVE_SIZE", count);
}

/* The parameters of all functions of one sample; `abs` in floats has none. */
static swathe_status make_function(struct arena *arena, struct gpu_stage *stage, const char *option)
{
    const struct op *op = stage->op;
    bool encodes = op->points[0].id == POINT_encode;
    int64_t curve = encodes ? ((int64_t)op->points[0].curve->most + 2) * 4 : 0;
    char *to;
    TRY(new_points(arena, stage, (int64_t)sizeof(struct function) + curve, &to));
    if (encodes)
        TRY(put_curves(arena, stage, to));
    for (int32_t p = 0; p < point_count(op); p++) {
        const struct point *point = &op->points[p];
        struct function function = {.bias = point->bias,
                                    .from_low = point->from.low,
                                    .from_high = point->from.high,
                                    .to_low = point->to.low,
                                    .to_high = point->to.high,
                                    .exact = point_is_exact(point),
                                    .encodes = point->id == POINT_encode,
                                    .missing = missing_of(point->missing)};
        memcpy(to + p * (int64_t)sizeof function, &function, sizeof function);
    }
    return stage_option(arena, stage, option, 1);
}

static swathe_status make_points(struct arena *arena, struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    if (uses_table(op))
        return make_tables(arena, stage);
    switch (op->points[0].id) {
    case POINT_abs:
        return make_function(arena, stage, "POINT_abs");
    case POINT_range:
        return make_function(arena, stage, "POINT_range");
    case POINT_encode:
        return make_function(arena, stage, "POINT_encode");
    default:
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "this function is computed from samples of 8 or 16 bits on a GPU, not from "
                    "%s; use device cpu",
                    sample_entry(op->in)->name);
    }
}

static swathe_status make_join(struct arena *arena, struct gpu_stage *stage)
{
    char name[32];
    snprintf(name, sizeof name, "JOIN_%s", stage_join_name(stage->op->join));
    TRY(stage_option(arena, stage, name, 1));
    if (stage->op->real == SWATHE_F32)
        TRY(stage_option(arena, stage, "JOIN_FLOATS", 1));
    if (stage->op->missing) {
        struct missing *missing;
        int32_t *none;
        TRY(new_parameters(arena, stage, 0, sizeof *missing, &none, &missing));
        *missing = missing_of(stage->op->missing);
        TRY(stage_option(arena, stage, "JOIN_MISSING", 1));
    }
    return stage_option(arena, stage, "JOINED", stage->op->joined);
}

static swathe_status weight_option(struct arena *arena, struct gpu_stage *stage)
{
    enum weights_kind kind = stage->op->weights->missing.rule.kind;
    return stage_option(arena, stage,
                        kind == WEIGHTS_ALPHA  ? "WEIGHT_alpha"
                        : kind == WEIGHTS_MASK ? "WEIGHT_mask"
                                               : "WEIGHT_missing",
                        1);
}

/* The planes of the sample and of its weight, and what is computed from them. */
static swathe_status make_weigh(struct arena *arena, struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    const struct weights *weights = op->weights;
    enum { FIELDS = 3 };
    struct {
        double most;
        struct missing missing;
    } * to;
    int32_t *at;
    TRY(new_parameters(arena, stage, FIELDS, sizeof *to, &at, &to));
    for (int32_t c = 0; c < op->out_channels; c++, at += FIELDS) {
        at[0] = op->results[c].plane;
        at[1] = weights->planes.channel >= 0 ? weights->planes.channel : at[0];
        at[2] = op->results[c].mask;
    }
    to->most = weights->most;
    to->missing = missing_of(&weights->missing);
    return weight_option(arena, stage);
}

/* In the order of kernels/pixel.cl. */
struct part {
    double sum, weight, centre, sample, is_weight; /* planes; -1: not needed */
    double all, unit, gain, share;
};

static struct part stage_pixel_part_of(const struct weights *weights,
                                       const struct weights_part *part)
{
    struct weights_sum mask = weights->quotient.sums[part->mask];
    return (struct part){part->sum,    part->weight,         part->centre,
                         part->sample, part->is_weight,      mask.all,
                         mask.unit,    mask.all / mask.unit, mask.all / weights->most};
}

/* The number of each result's part, then what all parts share, then the parts. */
static swathe_status make_divide(struct arena *arena, struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    const struct weights *weights = op->weights;
    const struct weights_quotient *quotient = &weights->quotient;
    struct {
        double bias, least, top, highest;
        struct missing missing;
        struct part parts[];
    } * to;
    int32_t *numbers;
    int64_t size = (int64_t)sizeof *to + quotient->parts * (int64_t)sizeof *to->parts;
    TRY(new_parameters(arena, stage, 1, size, &numbers, &to));
    for (int32_t c = 0; c < op->out_channels; c++)
        numbers[c] = op->results[c].mask;
    to->bias = quotient->bias;
    to->least = weights->missing.rule.least;
    to->top = quotient->top;
    to->highest = fmin(quotient->top, sample_entry(op->out)->highest);
    to->missing = missing_of(&weights->missing);
    for (int32_t i = 0; i < quotient->parts; i++)
        to->parts[i] = stage_pixel_part_of(weights, &quotient->part[i]);
    TRY(stage_option(arena, stage, "PARTS", quotient->parts));
    if (quotient->centred)
        TRY(stage_option(arena, stage, "CENTRED", 1));
    return weight_option(arena, stage);
}

/* What the kernel computes. */
static swathe_status make_rule(struct arena *arena, struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    stage->work = op->rule == STAGE_MIX ? op_colours(op) : op->rule == STAGE_JOIN ? op->joined : 2;
    switch (op->rule) {
    case STAGE_POINT:
        return make_points(arena, stage);
    case STAGE_MIX:
        return stage_taps(arena, stage, true);
    case STAGE_JOIN:
        return make_join(arena, stage);
    case STAGE_WEIGH:
        return make_weigh(arena, stage);
    default:
        return make_divide(arena, stage);
    }
}

/* The channel of the result that is copied, or -1. */
static int32_t copied_to(const struct op *op)
{
    for (int32_t c = 0; c < op->out_channels; c++)
        if (op->results[c].mask < 0)
            return c;
    return -1;
}

swathe_status stage_pixel(struct arena *arena, const struct gpu_limits *limits,
                          struct gpu_stage *stage)
{
    int32_t x = (int32_t)min64(min64(limits->group, limits->group_side[0]), 32);
    int32_t y = (int32_t)min64(min64(limits->group / x, limits->group_side[1]), 4);
    stage->group[0] = stage->tile[0] = x;
    stage->group[1] = stage->tile[1] = y;
    stage->group[2] = 1;
    stage->tile[2] = stage->op->out_channels;
    stage->has_tables = false;
    TRY(make_rule(arena, stage));
    int32_t copied = copied_to(stage->op);
    TRY(stage_option(arena, stage, "COPIED_TO", copied));
    if (copied >= 0)
        TRY(stage_option(arena, stage, "COPIED_PLANE", stage->op->results[copied].plane));
    TRY(stage_option(arena, stage, "PADDED", 1)); /* no sample is outside the image */
    return stage_kernel(arena, stage, "pixel");
}
