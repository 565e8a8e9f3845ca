/* Error bounds of the sums of "fourier", derived in docs/bounds.md. */
#include "algorithm/fourier_plan.h"

#include "base/checked.h"
#include "filter/quantise.h"

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

static int64_t fourier_bound_mask_rows(const struct op *op)
{
    int32_t most = 1;
    for (int32_t i = 0; i < op->mask_count; i++)
        most = op->masks[i].height > most ? op->masks[i].height : most;
    return most;
}

static double fourier_bound_sum_error(const struct op *op, int32_t points)
{
    double error = 2.0 * transform_error(points) + product_error(fourier_bound_mask_rows(op));
    return error * sqrt(2.0 * points) * SLACK;
}

static double fourier_bound_tap_at(const struct op_taps *taps, int64_t i)
{
    return taps->w ? (double)taps->w[i] : taps->f ? (double)taps->f[i] : taps->d[i];
}

/* The sum of the 2-norms of a mask's rows. */
static double row_norms(const struct op_taps *taps)
{
    double norms = 0.0;
    for (int64_t y = 0; y < taps->height; y++) {
        double largest = 0.0, squares = 0.0; /* scaled, so that squares do not under- or overflow */
        for (int64_t x = 0; x < taps->width; x++)
            largest = fmax(largest, fabs(fourier_bound_tap_at(taps, y * taps->width + x)));
        for (int64_t x = 0; x < taps->width && largest > 0.0; x++) {
            double tap = fourier_bound_tap_at(taps, y * taps->width + x) / largest;
            squares += tap * tap;
        }
        norms += largest * sqrt(squares);
    }
    return norms;
}

/* In doubles, the mask's spectrum is computed with the same transform, so it has an error, too. */
static double spectrum_error(double norms, int32_t points)
{
    double n = points;
    return transform_error(points) * sqrt(n) * norms * sqrt(2.0 * n) * SLACK;
}

struct fourier_sums fourier_sums(const struct op *op)
{
    struct fourier_sums sums = {0};
    for (int32_t m = 0; m < op->mask_count; m++) {
        const struct op_taps *taps = &op->masks[m];
        int32_t common = taps->w ? algorithm_common_bits(taps) : 0;
        double norms = fourier_wide(op) ? ldexp(row_norms(taps), -common) : 0.0, absolute = 0.0;
        for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
            absolute += fabs(fourier_bound_tap_at(taps, i));
        sums.norms = fmax(sums.norms, norms);
        sums.absolute = fmax(sums.absolute, ldexp(absolute, -common));
        sums.add = fmax(sums.add, ldexp(fabs((double)taps->add), -common));
        sums.unit = fmax(sums.unit, ldexp(1.0, common - taps->shift));
    }
    return sums;
}

/* The error of the sums, and of rounding taps and bias and adding the bias. */
static double fourier_bound_relative_error(const struct op *op, const struct fourier_sums *sums,
                                           int32_t points)
{
    double own = spectrum_error(sums->norms, points);
    return (fourier_bound_sum_error(op, points) + own / op->gain + 3.0) * op_unit(op);
}

double fourier_relative_error(const struct algorithm_case *at)
{
    const struct fourier_analysis *analysis = at->analysis;
    return fourier_bound_relative_error(at->op, &analysis->sums, analysis->shape.points);
}

static double float_error(const struct op *op, const struct fourier_sums *sums, int32_t points)
{
    double n = points, rows = (double)fourier_bound_mask_rows(op);
    double most = op->magnitude, sum = op->gain * most, bias = fabs((double)op->bias);
    bool wide = fourier_wide(op);
    double error = fourier_bound_relative_error(op, sums, points) * sum + 4.0 * op_unit(op) * bias;
    /* products that underflow: with twiddles, of spectra, of taps */
    double least = wide ? 0x1p-1074 : 0x1p-149;
    error += 2.0 * least * n * (64.0 * (op->gain + 1.0) + rows * (4.0 + 2.0 * sqrt(n) * most));
    error += least * n * rows * most;
    if (wide) /* in the transform of the mask: below 50n in each of its spectra */
        error += 72.0 * least * n * n * sqrt(n) * rows * most;
    return op_stored_error(op, sum, bias, error);
}

double fourier_error_bound(const struct algorithm_case *at)
{
    if (fourier_repairs(at->op))
        return at->op->error_bound;
    const struct fourier_analysis *analysis = at->analysis;
    return float_error(at->op, &analysis->sums, analysis->shape.points);
}

double fourier_centre(swathe_type type)
{
    return type == SWATHE_U8 ? 128.0 : type == SWATHE_U16 ? 32768.0 : 0.0;
}

double fourier_margin(const struct op *op, const struct fourier_sums *sums, int32_t points)
{
    /* Both this sum and that of the definition are within their bounds of the exact sum; if all
     * taps are whole, the definition has no error. */
    if (!op->integer) {
        double own = op->error_bound > 0.0 ? op->error_bound - 0.5 : 0.0;
        return (float_error(op, sums, points) - 0.5 + own) * 1.01 + 0x1p-40;
    }
    double most = op->in == SWATHE_U8 ? 128.0 : 32768.0, all = (double)quantise_sample_max(op->in);
    double error = (fourier_bound_sum_error(op, points) * sums->absolute +
                    spectrum_error(sums->norms, points)) *
                       most * 0x1p-53 +
                   (sums->absolute * all + sums->add) * 0x1p-52; /* doubles may not hold the sum */
    return error < 0.5 ? 0.0 : (error + 1.0) * sums->unit; /* 1.0: rounding of the final terms */
}
