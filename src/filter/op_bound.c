/* How far a result can be from exact real arithmetic, computed from the taps. */
#include "filter/op.h"

#include "base/checked.h"
#include "filter/quantise.h"

#include <float.h>
#include <math.h>

/* Covers the rounding errors of sums of absolute values. */
#define SLACK (1.0 + 0x1p-40)

static double absolute_sum(const double *k, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += fabs(k[i]);
    return sum * SLACK;
}

/* Σ |w/2^q − k| */
static double tap_error(const double *k, const struct op_taps *taps)
{
    double sum = 0.0, unit = ldexp(1.0, -taps->q);
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
        sum += fabs((double)taps->w[i] * unit - k[i]);
    return sum * SLACK;
}

/* Rounding error of a result: half a unit, or 0 if every sum is a multiple of 2^shift. */
static double rounding_error(const struct op_taps *taps, int64_t bias)
{
    int64_t below = ((int64_t)1 << taps->shift) - 1, bits = bias;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
        bits |= taps->w[i];
    return bits & below ? 0.5 : 0.0;
}

static double integer_dense(const struct op *op, const struct stage *stage, double most)
{
    double worst = 0.0;
    for (int32_t i = 0; i < op->mask_count; i++) {
        const struct op_taps *taps = &op->masks[i];
        int64_t half = taps->shift > 0 ? (int64_t)1 << (taps->shift - 1) : 0;
        int64_t bias = taps->add - half;
        double error = tap_error(stage->masks[i].k, taps) * most +
                       fabs(ldexp((double)bias, -taps->q) - stage->bias) +
                       rounding_error(taps, bias);
        worst = fmax(worst, error);
    }
    return worst;
}

/* Pass 1 has errors of its taps and of its rounding. Pass 2 propagates them and adds its errors. */
static double integer_two_pass(const struct op *op, const struct stage *stage, double most)
{
    double down = tap_error(stage->down, &op->down) * most;
    if (op->in == SWATHE_U8)
        down += ldexp(0.5, -QUANTISE_U8_MIDDLE_BITS);
    double across_gain = 0.0;
    for (int32_t i = 0; i < op->across.width; i++)
        across_gain += fabs(ldexp((double)op->across.w[i], -op->across.q));
    double down_gain = absolute_sum(stage->down, op->down.height);
    int64_t rounding = (int64_t)1 << (op->across.shift - 1);
    double bias = ldexp((double)(op->across.add - rounding), -op->across.shift);
    return down * across_gain * SLACK + tap_error(stage->across, &op->across) * most * down_gain +
           fabs(bias - stage->bias) + 0.5;
}

static double integer_bound(const struct op *op, const struct stage *stage, double most)
{
    if (op->rule == STAGE_DENSE)
        return integer_dense(op, stage, most);
    if (op->rule == STAGE_TWO_PASS)
        return integer_two_pass(op, stage, most);
    double n = (double)op->mean_count;
    return (op->mean_count > 1 ? 0.5 : 0.0) + fabs((double)op->mean_add / n - stage->bias);
}

/* Number of taps of one sum, zeros included: small taps may have been rounded to zero. */
static int64_t all_taps(const struct op *op, const struct stage *stage)
{
    const struct mask *mask = &stage->masks[0];
    int64_t most = (int64_t)mask->width + mask->height;
    for (int32_t i = 0; op->rule != STAGE_TWO_PASS && i < stage->mask_count; i++)
        most = max64(most, (int64_t)stage->masks[i].width * stage->masks[i].height);
    return most;
}

/* Each term is rounded at most once for every tap of the sum, once for its own tap and once for the
 * bias. The factor covers (1 + u)^n − 1 > n·u for every mask that is accepted. Products may
 * underflow, and so may taps, whose loss is then multiplied by the samples. Results beyond the
 * largest float have no bound. */
static double float_bound(const struct op *op, const struct stage *stage, double gain, double most)
{
    double roundings = (double)op->tap_count + (op->rule == STAGE_TWO_PASS ? 4.0 : 2.0);
    double growth = expm1(roundings * 0x1p-24 * SLACK);
    double error = growth * (gain * most + 2.0 * fabs(stage->bias)) + roundings * 0x1p-148 +
                   (double)all_taps(op, stage) * 0x1p-149 * most;
    if (gain * most + fabs(stage->bias) + error > (double)FLT_MAX)
        return INFINITY;
    return error + (sample_is_float(op->out) ? 0.0 : 0.5);
}

static double stage_gain(const struct stage *stage)
{
    if (stage->rule == STAGE_TWO_PASS)
        return absolute_sum(stage->down, stage->masks[0].height) *
               absolute_sum(stage->across, stage->masks[0].width);
    double gain = 0.0;
    for (int32_t i = 0; i < stage->mask_count; i++) {
        const struct mask *mask = &stage->masks[i];
        gain = fmax(gain, absolute_sum(mask->k, (int64_t)mask->width * mask->height));
    }
    return gain;
}

void op_bound(struct op *op, const struct stage *stage, double magnitude)
{
    double most = sample_is_float(op->in) ? fmax(magnitude, fabs(op->border.value))
                                          : (double)quantise_sample_max(op->in);
    op->magnitude = most;
    op->gain = stage_gain(stage);
    op->error_bound =
        op->integer ? integer_bound(op, stage, most) : float_bound(op, stage, op->gain, most);
    /* A clamp can also move results away from 0. */
    double largest = op->gain * most + fabs(stage->bias) + op->error_bound;
    op->bound_magnitude =
        fmax(fmin(largest, fmax(fabs(op->low), fabs(op->high))), fmax(op->low, -op->high));
}

void op_bound_replace(struct op *op, double error_bound)
{
    double more = fmax(error_bound - op->error_bound, 0.0);
    double most = fmax(fabs(op->low), fabs(op->high));
    op->bound_magnitude = fmin(op->bound_magnitude + more, most);
    op->error_bound = error_bound;
}
