/* Error bounds of the sums of "fourier", derived in docs/numerics.md. */
#include "plan/fourier_plan.h"

#include "base/checked.h"
#include "filter/quantise.h"

#include <float.h>
#include <math.h>

/* Covers products of many (1 + cu) instead of sums of cu, and the rounding of these formulas. */
#define SLACK (1.0 + 0x1p-9)

/* Rounding error of a butterfly in the 2-norm, as a multiple of u. */
static double butterfly_error(int32_t radix)
{
    switch (radix) {
    case 2:
        return 1.0;
    case 4:
        return 2.0;
    case 8:
        return 6.0;
    case 3:
        return 5.0 * sqrt(6.0);
    default:
        return 6.0 * sqrt(10.0);
    }
}

/* Error of a whole transform: butterflies, and multiplications by rounded twiddles if there are
 * any. */
static double transform_error(int32_t points)
{
    struct fourier_size size;
    double error = 0.0;
    fourier_factor(points, &size);
    for (int32_t p = 0; p < size.pass_count; p++)
        error += butterfly_error(size.pass[p].radix) + (size.pass[p].rest > 1 ? 3.3 : 0.0);
    return error;
}

/* Error of a sum of products of spectra, including the rounding of the mask's spectrum. */
static double product_error(int64_t rows)
{
    return sqrt(2.0) * (11.0 + (double)ceil_div(rows, FOURIER_CHUNK));
}

static int64_t mask_rows(const struct op *op)
{
    int32_t most = 1;
    for (int32_t i = 0; i < op->mask_count; i++)
        most = op->masks[i].height > most ? op->masks[i].height : most;
    return most;
}

static double sum_error(const struct op *op, int32_t points)
{
    double error = 2.0 * transform_error(points) + product_error(mask_rows(op));
    return error * sqrt(2.0 * points) * SLACK;
}

/* The error of the sums, and of rounding taps and bias and adding the bias. */
static double relative_error(const struct op *op)
{
    return (sum_error(op, fourier_choose(op).points) + 3.0) * 0x1p-24;
}

double fourier_relative_error(const struct algorithm_case *at)
{
    return relative_error(at->op);
}

double fourier_float_error(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    double n = fourier_choose(op).points, rows = (double)mask_rows(op);
    double most = op->magnitude, sum = op->gain * most, bias = fabs((double)op->bias);
    double error = relative_error(op) * sum + 0x1p-22 * bias;
    /* products that underflow: with twiddles, of spectra, of taps */
    error += 0x1p-148 * n * (64.0 * (op->gain + 1.0) + rows * (4.0 + 2.0 * sqrt(n) * most));
    error += 0x1p-149 * n * rows * most;
    if (sum + bias + error > (double)FLT_MAX)
        return INFINITY;
    return error + (sample_is_float(op->out) ? 0.0 : 0.5);
}

double fourier_centre(swathe_type type)
{
    return type == SWATHE_U8 ? 128.0 : type == SWATHE_U16 ? 32768.0 : 0.0;
}

/* The mask's spectrum is computed with the same transform, so it has an error, too. */
double fourier_integer_error(const struct op *op, const struct op_taps *taps)
{
    double absolute = 0.0, norms = 0.0, n = fourier_choose(op).points;
    for (int32_t y = 0; y < taps->height; y++) {
        double squares = 0.0;
        for (int32_t x = 0; x < taps->width; x++) {
            double w = taps->w[(int64_t)y * taps->width + x];
            absolute += fabs(w);
            squares += w * w;
        }
        norms += sqrt(squares);
    }
    double most = op->in == SWATHE_U8 ? 128.0 : 32768.0;
    double own = transform_error((int32_t)n) * sqrt(n) * norms * sqrt(2.0 * n) * SLACK;
    double error = (sum_error(op, (int32_t)n) * absolute + own) * most * 0x1p-53;
    return ldexp(error, -algorithm_common_bits(taps));
}
