#include "run/clamped.h"

#include "base/cancel.h"
#include "base/checked.h"
#include "filter/op.h"
#include "filter/rounding.h"
#include "image/view.h"

#include <math.h>

/* Sums of the positive and of the negative taps, which are real numbers. */
struct taps_sum {
    double positive, negative;
};

static struct taps_sum clamped_sum_taps(const struct op_taps *taps)
{
    struct taps_sum sum = {0.0, 0.0};
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
        double k = taps->w   ? ldexp((double)taps->w[i], -taps->q)
                   : taps->f ? (double)taps->f[i]
                             : taps->d[i];
        *(k > 0.0 ? &sum.positive : &sum.negative) += fabs(k);
    }
    return sum;
}

static bool clamped_exceeds(const struct op *op, struct taps_sum sum, double bias)
{
    const struct sample_entry *in = sample_entry(op->in);
    return sum.positive * in->highest - sum.negative * in->lowest + bias > op->high + 0.5 ||
           sum.positive * in->lowest - sum.negative * in->highest + bias < op->low - 0.5;
}

/* Can a result be outside the range, for some image? Floats have no range. */
static bool can_clamp(const struct op *op)
{
    if (op->rule == STAGE_POINT && op->points[0].id == POINT_encode)
        return true;
    if (op->rule == STAGE_POINT || (isinf(op->low) && isinf(op->high)))
        return false;
    if (sample_is_float(op->in) || op->rule == STAGE_JOIN) /* STAGE_DIVIDE has sums of doubles */
        return true;
    if (op->rule == STAGE_MEAN)
        return clamped_exceeds(op, (struct taps_sum){1.0, 0.0},
                               (double)op->mean_add / (double)op->mean_count);
    if (op->rule == STAGE_TWO_PASS) {
        struct taps_sum all = {0.0, 0.0};
        for (int32_t t = 0; t < op->term_count; t++) {
            struct taps_sum down = clamped_sum_taps(&op->terms[t].down);
            struct taps_sum across = clamped_sum_taps(&op->terms[t].across);
            all.positive += down.positive * across.positive + down.negative * across.negative;
            all.negative += down.positive * across.negative + down.negative * across.positive;
        }
        return clamped_exceeds(op, all, op->bias);
    }
    for (int32_t m = 0; m < op->mask_count; m++)
        if (clamped_exceeds(op, clamped_sum_taps(&op->masks[m]), op->bias))
            return true;
    return false;
}

/* Linear light is clamped when it is converted back. */
static int32_t clamping_stage(const struct plan *plan)
{
    return plan->light.encoded ? plan->own : plan->own - 1;
}

static bool is_possible(const struct plan *plan)
{
    return !plan->gpu && !plan->by_reference && can_clamp(&plan->ops[clamping_stage(plan)]);
}

void clamped_init(const struct plan *plan, struct clamped *clamped)
{
    /* Enough pixels for a share of one in a thousand, and a limit on the work for images of which
     * every sample is at a limit. */
    const double enough = 65536.0, most_work = 0x1p24;
    int32_t at = clamping_stage(plan);
    const struct op *op = &plan->ops[at];
    double pixels = (double)op->out_width * (double)op->out_height;
    bool whole = op->rule == STAGE_TWO_PASS || op->rule == STAGE_MEAN || op->rule == STAGE_WEIGHTED;
    double taps = whole
                      ? ((double)op->left + op->right + 1.0) * ((double)op->above + op->below + 1.0)
                      : (double)op->tap_count;
    clamped->stage = is_possible(plan) ? at : -1;
    clamped->pitch = (int64_t)fmax(
        1.0, fmax(fmin(16.0, floor(sqrt(pixels / enough))), ceil(sqrt(pixels * taps / most_work))));
    atomic_init(&clamped->examined, 0);
    atomic_init(&clamped->below, 0);
    atomic_init(&clamped->above, 0);
}

/* A pixel of a task: its channel is that of the task, or is given by the sample. */
struct place {
    const struct row_task *task;
    int32_t row;
    int64_t sample; /* index in the row of results */
};

/* The input sample under a tap: `x` and `y` are pixels and rows from the first that the mask
 * reads. */
static double clamped_input(const struct place *at, int64_t x, int64_t y)
{
    const struct row_task *task = at->task;
    swathe_type type = task->stage->row_type;
    return sample_load(task->rows[y + at->row] + (at->sample + x * task->step) * sample_size(type),
                       type);
}

static double plane_input(const struct place *at, int32_t plane)
{
    const struct row_task *task = at->task;
    swathe_type type = task->stage->row_type;
    return sample_load(task->rows[(int64_t)plane * task->stage->group + at->row] +
                           at->sample * sample_size(type),
                       type);
}

static double clamped_tap_at(const struct op_taps *taps, int64_t i)
{
    return taps->w ? (double)taps->w[i] : taps->f ? (double)taps->f[i] : taps->d[i];
}

/* Σ k·p in doubles; x and y are those of the anchor. */
static double sum_at(const struct op *op, const struct op_taps *taps, const struct place *at,
                     int64_t x, int64_t y)
{
    double sum = 0.0;
    for (int32_t j = 0; j < taps->height; j++)
        for (int32_t i = 0; i < taps->width; i++)
            sum += clamped_tap_at(taps, (int64_t)j * taps->width + i) *
                   clamped_input(at, x + (int64_t)(i - taps->anchor_x) * op->dilate_x,
                                 y + (int64_t)(j - taps->anchor_y) * op->dilate_y);
    return sum;
}

static double clamped_finish(const struct op *op, const struct op_taps *taps, double sum)
{
    return op->integer ? floor(ldexp(sum + (double)taps->add, -taps->shift)) : sum + op->bias;
}

static double term_value(const struct op *op, const struct op_term *term, const struct place *at)
{
    const struct op_taps *across = &term->across;
    double sum = 0.0;
    for (int32_t i = 0; i < across->width; i++) {
        if (op_tap_is_zero(across, i))
            continue;
        double down = sum_at(op, &term->down, at,
                             op->left + (int64_t)(i - across->anchor_x) * op->dilate_x, op->above);
        if (op->integer)
            down = floor(ldexp(down + (double)term->down.add, -term->down.shift));
        sum += clamped_tap_at(across, i) * down;
    }
    return sum;
}

static double two_pass_value(const struct op *op, const struct place *at)
{
    double sum = 0.0;
    for (int32_t t = 0; t < op->term_count; t++)
        sum += term_value(op, &op->terms[t], at);
    return clamped_finish(op, &op->terms[0].across, sum);
}

static double mean_value(const struct op *op, const struct place *at)
{
    const struct op_taps *size = &op->masks[0];
    double sum = 0.0, n = (double)op->mean_count;
    for (int32_t j = 0; j < size->height; j++)
        for (int32_t i = 0; i < size->width; i++)
            sum += clamped_input(at, op->left + (int64_t)(i - size->anchor_x) * op->dilate_x,
                                 op->above + (int64_t)(j - size->anchor_y) * op->dilate_y);
    return floor((sum + (double)op->mean_add) / n + 0.5);
}

static double mix_value(const struct op *op, const struct op_taps *taps, const struct place *at)
{
    double sum = 0.0;
    for (int32_t i = 0; i < taps->width; i++)
        sum += clamped_tap_at(taps, i) * plane_input(at, op_colour_plane(op, i));
    return clamped_finish(op, taps, sum);
}

static double join_value(const struct op *op, const struct place *at)
{
    struct op wide = *op;
    double samples[VIEW_CHANNELS_MAX];
    int32_t apart = op_colours(op) / op->joined / at->task->step;
    for (int32_t n = 0; n < op->joined; n++)
        samples[n] = plane_input(at, at->task->plane + n * apart);
    wide.low = -INFINITY;
    wide.high = INFINITY;
    return op_join_apply(&wide, samples);
}

/* Σ k·m·p, Σ k·m and the m of the centre, in the order of the definition. */
static void weighted_sums(const struct op *op, const struct place *at, double *sums)
{
    const struct op_taps *down = &op->terms->down, *across = &op->terms->across;
    sums[0] = sums[1] = 0.0;
    sums[2] = weights_of(op->weights, clamped_input(at, op->left, op->above));
    for (int32_t i = 0; i < across->width; i++) {
        int64_t x = op->left + (int64_t)(i - across->anchor_x) * op->dilate_x;
        double sum = 0.0, weight = 0.0;
        for (int32_t j = 0; j < down->height; j++) {
            double p =
                clamped_input(at, x, op->above + (int64_t)(j - down->anchor_y) * op->dilate_y);
            double m = weights_of(op->weights, p), k = clamped_tap_at(down, j);
            sum = fma(k, weights_product(p, m), sum);
            weight = fma(k, m, weight);
        }
        sums[0] = fma(clamped_tap_at(across, i), sum, sums[0]);
        sums[1] = fma(clamped_tap_at(across, i), weight, sums[1]);
    }
}

static double weighted_value(const struct op *op, const struct place *at)
{
    struct weights wide = *op->weights;
    struct weights_part part = {.sum = 0, .weight = 1, .centre = 2, .sample = -1};
    double sums[3];
    if (wide.quotient.part->centre < 0)
        part.centre = -1;
    weighted_sums(op, at, sums);
    wide.quotient.low = -INFINITY;
    wide.quotient.high = INFINITY;
    return weights_divide(&wide, &part, sums);
}

static double divide_value(const struct op *op, const struct place *at)
{
    struct weights wide = *op->weights;
    struct place other = *at; /* each channel of the pixel */
    double planes[VIEW_CHANNELS_MAX];
    int32_t step = at->task->step, channel = (int32_t)(at->sample % step);
    for (int32_t p = 0; p < op->channels; p++) {
        other.sample = at->sample - channel + p % step;
        planes[p] = plane_input(&other, p / step);
    }
    wide.quotient.low = -INFINITY;
    wide.quotient.high = INFINITY;
    int32_t part = step > 1 ? op->results[channel].mask : at->task->mask;
    return weights_divide(&wide, &wide.quotient.part[part], planes);
}

/* Light that is half a sample or more beyond the lowest or the highest one. */
static double encode_value(const struct op *op, const struct place *at)
{
    const struct point *point = &op->points[at->task->mask];
    const struct curve_table *curve = point->curve;
    double light = clamped_input(at, 0, 0);
    if (!curve) /* alpha */
        return point_apply(point, light);
    double white = (double)curve->decode[curve->most];
    if (light < -(double)curve->from[1])
        return op->low - 1.0;
    return light > 2.0 * white - (double)curve->from[curve->most] ? op->high + 1.0 : op->low;
}

/* The result before it is clamped. Unlike the contract's, sums of floats are rounded as doubles:
 * this is an estimate. */
static double value_at(const struct op *op, const struct place *at)
{
    const struct op_taps *taps = op->mask_count > 0 ? &op->masks[at->task->mask] : NULL;
    double value = op->rule == STAGE_TWO_PASS   ? two_pass_value(op, at)
                   : op->rule == STAGE_MEAN     ? mean_value(op, at)
                   : op->rule == STAGE_MIX      ? mix_value(op, taps, at)
                   : op->rule == STAGE_DIVIDE   ? divide_value(op, at)
                   : op->rule == STAGE_WEIGHTED ? weighted_value(op, at)
                   : op->rule == STAGE_POINT    ? encode_value(op, at)
                   : op->rule == STAGE_JOIN
                       ? join_value(op, at)
                       : clamped_finish(op, taps, sum_at(op, taps, at, op->left, op->above));
    return sample_is_float(op->out) ? value : rounding_half_up(value);
}

/* Is it a result that may have been clamped? One of the value of missing results is next to it. */
static bool is_limit(const struct op *op, double value)
{
    if (value == op->low || value == op->high)
        return true;
    return op->missing && (value == weights_present(op->missing, op->low) ||
                           value == weights_present(op->missing, op->high));
}

static void examine_row(struct clamped *clamped, const struct row_task *task, int32_t row,
                        const uint8_t *result, struct interval columns)
{
    const struct op *op = task->stage->op;
    int32_t size = sample_size(op->out);
    long long examined = 0, below = 0, above = 0;
    int64_t done = 0, taps = ((int64_t)op->left + op->right + 1) * (op->above + op->below + 1);
    int64_t first = next_multiple(max64(columns.first, task->x), clamped->pitch);
    int64_t last = min64(columns.last, task->x + task->count / task->step);
    for (int64_t x = first; x < last; x += clamped->pitch)
        for (int32_t c = 0; c < task->step; c++, examined++) {
            struct place at = {task, row, (x - task->x) * task->step + c};
            double got = sample_load(result + at.sample * size, op->out);
            if (!is_limit(op, got) || cancel_after(&done, taps))
                continue;
            double value = value_at(op, &at);
            below += value < op->low;
            above += value > op->high;
        }
    atomic_fetch_add(&clamped->examined, examined);
    atomic_fetch_add(&clamped->below, below);
    atomic_fetch_add(&clamped->above, above);
}

void clamped_examine(struct clamped *clamped, const struct row_task *task,
                     const uint8_t *const *results, struct interval columns)
{
    for (int32_t row = 0; row < task->height; row++)
        if (results[row] && (task->y + row) % clamped->pitch == 0)
            examine_row(clamped, task, row, results[row], columns);
}
