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
    const struct op_taps *down = &op->terms[0].down, *across = &op->terms[0].across;
    double error = tap_error(stage->terms[0].down, down) * most;
    if (down->shift > 0)
        error += ldexp(0.5, down->shift - down->q);
    double across_gain = ldexp((double)quantise_sum(across->w, across->width), -across->q);
    double down_gain = absolute_sum(stage->terms[0].down, down->height);
    int64_t rounding = (int64_t)1 << (across->shift - 1);
    double bias = ldexp((double)(across->add - rounding), -across->shift);
    return error * across_gain * SLACK +
           tap_error(stage->terms[0].across, across) * most * down_gain + fabs(bias - stage->bias) +
           0.5;
}

static double integer_bound(const struct op *op, const struct stage *stage, double most)
{
    if (op->rule == STAGE_DENSE || op->rule == STAGE_MIX)
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
    int64_t terms = stage->term_count > 1 ? stage->term_count : 1;
    int64_t most = terms * ((int64_t)mask->width + mask->height);
    for (int32_t i = 0; op->rule != STAGE_TWO_PASS && i < stage->mask_count; i++)
        most = max64(most, (int64_t)stage->masks[i].width * stage->masks[i].height);
    return most;
}

/* Are all sums whole numbers, which doubles hold exactly? op_bind.c refuses larger ones. */
static bool has_whole_sums(const struct op *op, const struct stage *stage)
{
    if (!op->ordered || op->rule == STAGE_TWO_PASS || stage->bias != floor(stage->bias))
        return false;
    for (int32_t m = 0; m < stage->mask_count; m++) {
        const struct mask *mask = &stage->masks[m];
        for (int64_t i = 0; i < (int64_t)mask->width * mask->height; i++)
            if (mask->k[i] != floor(mask->k[i]))
                return false;
    }
    return true;
}

/* A sum of products in the order of the contract. Each step rounds the sum so far, so the error is
 * at most u·Σ of the largest sums after each step. */
struct ordered_sum {
    double largest; /* |sum| so far */
    double steps;   /* Σ of it over all steps */
    double error;   /* of taps and operands */
    int64_t count;
};

static double real_tap(const struct op_taps *taps, int64_t i)
{
    return taps->d ? taps->d[i] : (double)taps->f[i];
}

/* Adds taps, which stand for k, times numbers of at most `most` with errors of at most `error`. */
static void op_bound_add_taps(const double *k, const struct op_taps *taps, double most,
                              double error, struct ordered_sum *sum)
{
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
        double tap = fabs(real_tap(taps, i));
        sum->error += fabs(real_tap(taps, i) - k[i]) * most + tap * error;
        if (tap == 0.0)
            continue;
        sum->largest += tap * most;
        sum->steps += sum->largest;
        sum->count++;
    }
}

/* The factor covers terms of second order. */
static double op_bound_sum_error(const struct op *op, const struct ordered_sum *sum)
{
    double u = op_unit(op);
    return (sum->error + sum->steps * u * (1.0 + 2.0 * (double)sum->count * u)) * SLACK;
}

static double ordered_error(const struct op *op, const struct stage *stage, double most)
{
    double worst = 0.0, u = op_unit(op), bias = fabs(op->bias);
    for (int32_t m = 0; m == 0 || m < op->mask_count; m++) {
        struct ordered_sum sum = {0};
        if (op->rule != STAGE_TWO_PASS)
            op_bound_add_taps(stage->masks[m].k, &op->masks[m], most, 0.0, &sum);
        for (int32_t t = 0; op->rule == STAGE_TWO_PASS && t < op->term_count; t++) {
            struct ordered_sum down = {0};
            op_bound_add_taps(stage->terms[t].down, &op->terms[t].down, most, 0.0, &down);
            double error = op_bound_sum_error(op, &down);
            op_bound_add_taps(stage->terms[t].across, &op->terms[t].across, down.largest + error,
                              error, &sum);
        }
        double error = op_bound_sum_error(op, &sum);
        worst = fmax(worst, error + u * (sum.largest + error + bias));
    }
    return worst + fabs(op->bias - stage->bias);
}

/* Each term is rounded at most once for every tap of the sum, once for its own tap and once for the
 * bias. The factor covers (1 + u)^n − 1 > n·u for every mask that is accepted. Products may
 * underflow, and so may taps, whose loss is then multiplied by the samples. Results beyond the
 * largest float have no bound. */
static double float_bound(const struct op *op, const struct stage *stage, double gain, double most)
{
    if (has_whole_sums(op, stage))
        return 0.0;
    bool is_f64 = op->real == SWATHE_F64;
    double roundings = (double)op->tap_count + (op->rule == STAGE_TWO_PASS ? 4.0 : 2.0);
    double growth = expm1(roundings * op_unit(op) * SLACK), tiny = is_f64 ? 0x1p-1074 : 0x1p-149;
    double largest = gain * most + 2.0 * fabs(stage->bias);
    double error = (op->ordered ? ordered_error(op, stage, most) : growth * largest) +
                   roundings * 2.0 * tiny * (1.0 + gain) +
                   (double)all_taps(op, stage) * tiny * most * (1.0 + gain);
    return op_stored_error(op, gain * most, fabs(stage->bias), error);
}

double op_stored_error(const struct op *op, double sum, double bias, double error)
{
    bool is_f64 = op->real == SWATHE_F64;
    if (is_f64 && op->out == SWATHE_F32)
        error += (sum + 2.0 * bias + error) * 0x1p-24 + 0x1p-149;
    if (sum + bias + error > (is_f64 && op->out != SWATHE_F32 ? DBL_MAX : (double)FLT_MAX))
        return INFINITY;
    return error + (sample_is_float(op->out) ? 0.0 : 0.5);
}

/* By how much results change that equal the value of missing ones. */
static double moved_error(const struct op *op)
{
    if (!op->missing || weights_rule_in(&op->missing->rule, op->out).kind != WEIGHTS_VALUE)
        return 0.0;
    return sample_is_float(op->out) ? fabs(op->missing->none) * 0x1p-22 + 0x1p-126 : 1.0;
}

/* The factor by which a range is stretched. */
static double point_gain(const struct point *point)
{
    if (point->id == POINT_encode)
        return point->curve->gain;
    if (point->id != POINT_range)
        return 1.0;
    double to = sample_is_float(point->out) ? 1.0 : point->to.high - point->to.low;
    double from = point->from.high - point->from.low;
    return from > 0.0 ? to / from * SLACK : INFINITY;
}

/* Whole numbers stay exact; other results are rounded once, and in doubles a few times more. */
static double point_error(const struct op *op, const struct point *point, double most)
{
    if (point->id == POINT_decode)
        return point->curve->error;
    if (point->id == POINT_encode)
        return 0.5 + point->curve->gain * point->curve->error;
    double unit = op->out == SWATHE_F32 ? 0x1p-24 : 0x1p-53, tiny = 0x1p-149;
    double largest = point->id == POINT_range ? point->to.high - point->to.low : most;
    bool doubles = point->id == POINT_range && !point_is_exact(point);
    double error = doubles ? 4.0 * 0x1p-53 * largest : 0.0;
    if (!sample_is_float(op->out)) {
        double gain = point->id == POINT_range
                          ? (point->to.high - point->to.low) / (point->from.high - point->from.low)
                          : 1.0;
        bool whole = !sample_is_float(op->in) && !doubles && gain == floor(gain) &&
                     point->bias == floor(point->bias);
        return error + (whole ? 0.0 : 0.5);
    }
    if (point->id != POINT_range && point->bias == 0.0 &&
        sample_size(op->in) <= sample_size(op->out))
        return 0.0;
    largest += fabs(point->bias);
    return largest > (op->out == SWATHE_F32 ? (double)FLT_MAX : DBL_MAX)
               ? INFINITY
               : error + largest * (unit + 0x1p-53) + tiny;
}

/* Alpha may be stretched by another factor. */
static void point_bound(struct op *op, double most)
{
    const struct point *point = &op->points[0];
    op->gain = op->error_bound = 0.0;
    for (int32_t i = 0; i < op->point_count; i++) {
        op->gain = fmax(op->gain, point_gain(&op->points[i]));
        op->error_bound = fmax(op->error_bound, point_error(op, &op->points[i], most));
    }
    op->error_bound += moved_error(op);
    double largest = point->id == POINT_decode  ? 1.0
                     : point->id == POINT_range ? fmax(fabs(point->to.low), fabs(point->to.high))
                                                : most + fabs(point->bias) + op->error_bound;
    op->bound_magnitude =
        fmax(fmin(largest, fmax(fabs(op->low), fabs(op->high))), fmax(op->low, -op->high));
}

/* Terms that cancel have errors of their own, so it may exceed Σ|k|. */
static double terms_gain(const struct stage *stage)
{
    double gain = 0.0;
    for (int32_t t = 0; t < stage->term_count; t++)
        gain += absolute_sum(stage->terms[t].down, stage->masks[0].height) *
                absolute_sum(stage->terms[t].across, stage->masks[0].width);
    return gain;
}

static double stage_gain(const struct stage *stage)
{
    double gain = 0.0;
    if (stage->rule == STAGE_TWO_PASS)
        return terms_gain(stage);
    for (int32_t i = 0; i < stage->mask_count; i++) {
        const struct mask *mask = &stage->masks[i];
        gain = fmax(gain, absolute_sum(mask->k, (int64_t)mask->width * mask->height));
    }
    return gain;
}

double op_copied_bound(const struct op *op)
{
    if (op->copied < 0)
        return 0.0;
    if (!sample_is_float(op->out))
        return sample_is_float(op->in) ? 0.5 : 0.0;
    bool shortens = op->out == SWATHE_F32 && (op->in == SWATHE_F64 || sample_is_32(op->in));
    return shortens ? op->magnitude * 0x1p-24 : 0.0;
}

/* A join of n numbers multiplies their errors by at most 1, n or √n. */
static void join_bound(struct op *op, double magnitude)
{
    bool is_f64 = op->real == SWATHE_F64, is_hypot = op->join == STAGE_JOIN_HYPOT;
    double n = op->joined, u = op_unit(op), most = is_f64 ? DBL_MAX : (double)FLT_MAX;
    op->gain = op->join == STAGE_JOIN_MAX ? 1.0 : op->join == STAGE_JOIN_SUM ? n : sqrt(n);
    op->magnitude = magnitude;
    double largest = op->gain * magnitude + fabs(op->bias);
    op->error_bound = (n + 3.0) * u * largest * 1.01 + 0x1p-1060;
    if (is_hypot) /* squares may underflow */
        op->error_bound += sqrt(n * (is_f64 ? 0x1p-1074 : 0x1p-149));
    if ((is_hypot && n * magnitude * magnitude > most) ||
        largest + op->error_bound > (op->out == SWATHE_F32 ? (double)FLT_MAX : most))
        op->error_bound = INFINITY;
    if (op->out == SWATHE_F32 && op->real == SWATHE_F64)
        op->error_bound += largest * 0x1p-23;
    if (!sample_is_float(op->out))
        op->error_bound += 0.5;
    op->error_bound += moved_error(op);
    op->bound_magnitude = fmax(fmin(largest + op->error_bound, fmax(fabs(op->low), fabs(op->high))),
                               fmax(op->low, -op->high));
}

/* Roundings of a sum of products, of its weights, and of the quotients, at most. */
static double weights_roundings(const struct stage *stage)
{
    double taps = 0.0;
    for (int32_t m = 0; m < stage->mask_count; m++)
        taps = fmax(taps, (double)mask_taps(&stage->masks[m]));
    if (stage->weighs == STAGE_TWO_PASS)
        taps = stage->term_count * ((double)stage->masks[0].width + stage->masks[0].height);
    return 4.0 * taps + 16.0;
}

static double least_tap(const double *taps, int64_t count)
{
    double least = INFINITY;
    for (int64_t i = 0; i < count; i++)
        if (taps[i] != 0.0)
            least = fmin(least, fabs(taps[i]));
    return least;
}

/* Sums of products that may underflow have no relative error. */
static bool weights_underflow(const struct stage *stage)
{
    double least = INFINITY;
    for (int32_t m = 0; m < stage->mask_count; m++)
        least = fmin(least, least_tap(stage->masks[m].k, mask_taps(&stage->masks[m])));
    for (int32_t t = 0; stage->weighs == STAGE_TWO_PASS && t < stage->term_count; t++)
        least = fmin(least, least_tap(stage->terms[t].down, stage->masks[0].height) *
                                least_tap(stage->terms[t].across, stage->masks[0].width));
    return least < 0x1p-900;
}

/* Between weighing and dividing the numbers are sums of products; the bound is that of the whole,
 * and stated for its last op. Sums of taps of one sign and their weights have the same relative
 * error for any weights. The bound is that of colours whose alpha is not rounded to 0. */
static void weights_bound(struct op *op, const struct stage *stage, double magnitude)
{
    const struct weights *weights = op->weights;
    const struct weights_quotient *quotient = &weights->quotient;
    op->gain = 1.0;
    op->error_bound = 0.0;
    op->magnitude = op->bound_magnitude = magnitude;
    if (op->rule == STAGE_WEIGH)
        op->magnitude = op->bound_magnitude = sample_is_float(op->in)
                                                  ? fmax(magnitude, weights->edge)
                                                  : (double)quantise_sample_max(op->in);
    if (op->rule != STAGE_DIVIDE)
        return;
    for (int32_t m = 0; m < (quotient->sums ? stage->mask_count : 0); m++) {
        const struct mask *mask = &stage->masks[m];
        op->gain = fmax(op->gain, quotient->centred
                                      ? 2.0 * absolute_sum(mask->k, mask_taps(mask))
                                      : fabs(quotient->sums[m].all / quotient->sums[m].unit));
    }
    if (quotient->centred && stage->weighs == STAGE_TWO_PASS)
        op->gain = fmax(op->gain, 2.0 * terms_gain(stage));
    double largest = op->gain * magnitude, unit = weights->single ? 0x1p-24 : 0x1p-53;
    double error = expm1(weights_roundings(stage) * unit) * largest +
                   (largest + fabs(stage->bias)) * 0x1p-52 + 0x1p-1000;
    op->error_bound = op_stored_error(op, largest, fabs(stage->bias), error) + moved_error(op);
    if (!weights->single && weights_underflow(stage))
        op->error_bound = INFINITY;
    largest += fabs(stage->bias) + op->error_bound;
    op->bound_magnitude =
        fmax(fmin(largest, fmax(fabs(op->low), fabs(op->high))), fmax(op->low, -op->high));
    if (weights->planes.channel < 0 && weights->planes.copied < 0)
        return;
    /* Alpha is rounded, too, and a clamp does not apply to it. */
    op->error_bound = fmax(op->error_bound, op_stored_error(op, magnitude, 0.0, 0.0));
    op->bound_magnitude = fmax(op->bound_magnitude, magnitude);
}

static void set_bound(struct op *op, const struct stage *stage, double magnitude)
{
    if (op->rule == STAGE_JOIN) {
        join_bound(op, sample_is_float(op->in) ? magnitude : (double)quantise_sample_max(op->in));
        return;
    }
    if (op->weights) {
        weights_bound(op, stage, magnitude);
        return;
    }
    double most = sample_is_float(op->in) ? fmax(magnitude, fabs(op->border.value))
                                          : (double)quantise_sample_max(op->in);
    op->magnitude = most;
    if (op->rule == STAGE_POINT) {
        point_bound(op, most);
        return;
    }
    op->gain = stage_gain(stage);
    op->error_bound =
        op->integer ? integer_bound(op, stage, most) : float_bound(op, stage, op->gain, most);
    op->error_bound = fmax(op->error_bound, op_copied_bound(op));
    /* A clamp can also move results away from 0. */
    double largest = op->gain * most + fabs(stage->bias) + op->error_bound;
    op->bound_magnitude =
        fmax(fmin(largest, fmax(fabs(op->low), fabs(op->high))), fmax(op->low, -op->high));
}

void op_bound(struct op *op, const struct stage *stage, double magnitude)
{
    set_bound(op, stage, magnitude);
    if (op->copied >= 0) /* a clamp does not apply to it */
        op->bound_magnitude = fmax(op->bound_magnitude, op->magnitude);
    if (op->arithmetic != ARITHMETIC_contract)
        op->error_bound = INFINITY;
}

void op_bound_replace(struct op *op, double error_bound)
{
    double more = fmax(error_bound - op->error_bound, 0.0);
    double most = fmax(fabs(op->low), fabs(op->high));
    op->bound_magnitude = fmax(op->bound_magnitude, fmin(op->bound_magnitude + more, most));
    op->error_bound = error_bound;
}
