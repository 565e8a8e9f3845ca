#include "filter/op.h"

#include "filter/rounding.h"

#include <math.h>

/* In doubles; f32 samples in floats. Each operation is rounded once, in the order of the masks.
 * Compilers may add floats in doubles (FLT_EVAL_METHOD 1): casts round the sums. */
static double join_real(const struct op *op, const double *samples)
{
    double sum = 0.0;
    for (int32_t i = 0; i < op->joined; i++) {
        double v = fabs(samples[i]);
        if (op->join == STAGE_JOIN_MAX)
            sum = isnan(v) || v > sum ? v : sum;
        else if (op->real == SWATHE_F32)
            sum = op->join == STAGE_JOIN_SUM ? (double)(float)((float)sum + (float)v)
                                             : (double)fmaf((float)v, (float)v, (float)sum);
        else
            sum = op->join == STAGE_JOIN_SUM ? sum + v : fma(v, v, sum);
    }
    if (op->join == STAGE_JOIN_HYPOT)
        sum = op->real == SWATHE_F32 ? (double)sqrtf((float)sum) : sqrt(sum);
    return op->real == SWATHE_F32 ? (double)(float)((float)sum + (float)op->bias) : sum + op->bias;
}

double op_join_apply(const struct op *op, const double *samples)
{
    for (int32_t i = 0; op->missing && i < op->joined; i++)
        if (weights_misses(op->missing, samples[i]))
            return op->missing->none;
    double value = join_real(op, samples);
    if (!sample_is_float(op->out))
        value = rounding_half_up(value);
    else if (op->out == SWATHE_F32)
        value = (float)value;
    value = ROUNDING_CLAMP(value, op->low, op->high);
    return op->missing ? weights_present(op->missing, value) : value;
}
