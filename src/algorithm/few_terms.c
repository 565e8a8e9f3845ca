#include "algorithm/few_terms.h"

#include "base/checked.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- The leading terms of a singular value decomposition ----------------------------------------
 *
 * Orthogonal columns are removed from the matrix one by one, the longest remaining one first. Then
 * Jacobi rotations make the rows of these few terms orthogonal, too. The terms span the dominant
 * part of the matrix, so a large mask costs its taps times a few terms, not the cube of its
 * size. */

enum { SWEEPS = 30 };

static double few_terms_dot(const double *a, const double *b, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static int32_t longest_column(const double *matrix, int32_t height, int32_t width, double *norms)
{
    int32_t longest = 0;
    for (int32_t x = 0; x < width; x++)
        norms[x] = 0.0;
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            norms[x] += matrix[(int64_t)y * width + x] * matrix[(int64_t)y * width + x];
    for (int32_t x = 1; x < width; x++)
        longest = norms[x] > norms[longest] ? x : longest;
    return longest;
}

/* Removes the product of column x, scaled to length 1, and its row from the matrix. */
static void split_off(double *matrix, int32_t height, int32_t width, int32_t x, double length,
                      double *column, double *row)
{
    for (int32_t y = 0; y < height; y++)
        column[y] = matrix[(int64_t)y * width + x] / length;
    for (int32_t i = 0; i < width; i++)
        row[i] = 0.0;
    for (int32_t y = 0; y < height; y++)
        for (int32_t i = 0; i < width; i++)
            row[i] += column[y] * matrix[(int64_t)y * width + i];
    for (int32_t y = 0; y < height; y++)
        for (int32_t i = 0; i < width; i++)
            matrix[(int64_t)y * width + i] -= column[y] * row[i];
}

static void few_terms_rotate(double *a, double *b, int64_t count, double c, double s)
{
    for (int64_t i = 0; i < count; i++) {
        double was = a[i];
        a[i] = c * was - s * b[i];
        b[i] = s * was + c * b[i];
    }
}

/* Makes two rows orthogonal. The columns are rotated with them, so that the sum does not change. */
static bool few_terms_turn(double *column_a, double *column_b, int32_t height, double *row_a,
                           double *row_b, int32_t width)
{
    double a = few_terms_dot(row_a, row_a, width), b = few_terms_dot(row_b, row_b, width);
    double both = few_terms_dot(row_a, row_b, width);
    if (fabs(both) <= 0x1p-50 * sqrt(a) * sqrt(b))
        return false;
    double zeta = (b - a) / (2.0 * both);
    double t = (zeta < 0.0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    double c = 1.0 / sqrt(1.0 + t * t);
    few_terms_rotate(row_a, row_b, width, c, c * t);
    few_terms_rotate(column_a, column_b, height, c, c * t);
    return true;
}

static void few_terms_swap(double *a, double *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        double was = a[i];
        a[i] = b[i];
        b[i] = was;
    }
}

static void few_terms_sort(double *columns, double *rows, int32_t height, int32_t width,
                           int32_t count)
{
    for (int64_t t = 0; t < count; t++) {
        int64_t best = t;
        for (int64_t s = t + 1; s < count; s++)
            if (few_terms_dot(rows + s * width, rows + s * width, width) >
                few_terms_dot(rows + best * width, rows + best * width, width))
                best = s;
        few_terms_swap(columns + t * height, columns + best * height, height);
        few_terms_swap(rows + t * width, rows + best * width, width);
    }
}

/* matrix[y][x] ≈ Σ_t columns[t][y]·rows[t][x], at most `most` terms, the largest first. Columns
 * have length 1. On return `matrix` holds the remainder. `norms` has `width` entries. Returns the
 * number of terms, which is smaller than `most` if fewer reproduce the matrix. */
static int32_t svd_leading(double *matrix, int32_t height, int32_t width, int32_t most,
                           double *columns, double *rows, double *norms)
{
    int32_t count = 0;
    double first = 0.0;
    for (; count < most; count++) {
        int32_t x = longest_column(matrix, height, width, norms);
        double length = sqrt(norms[x]);
        first = count == 0 ? length : first;
        if (length <= 0x1p-45 * first) /* only rounding errors are left */
            break;
        split_off(matrix, height, width, x, length, columns + (int64_t)count * height,
                  rows + (int64_t)count * width);
    }
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int64_t a = 0; a < count; a++)
            for (int64_t b = a + 1; b < count; b++)
                turned |= few_terms_turn(columns + a * height, columns + b * height, height,
                                         rows + a * width, rows + b * width, width);
    }
    few_terms_sort(columns, rows, height, width, count);
    return count;
}

/* ---- Terms of a mask ------------------------------------------------------------------------- */

enum { TERMS_MOST = 12 };
#define UNIT  0x1p-24
#define SLACK (1.0 + 0x1p-40)
/* Largest share of the multiply-adds of one sum over all taps: with more, two passes cannot be
 * faster. */
#define SHARE 0.6

static int64_t few_terms_area(const struct op_taps *taps)
{
    return (int64_t)taps->width * taps->height;
}

static int64_t few_terms_count_taps(const struct op_taps *taps)
{
    int64_t count = 0;
    for (int64_t i = 0; i < few_terms_area(taps); i++)
        count += taps->f[i] != 0.0f;
    return count;
}

/* Largest number of terms that still saves work. */
static int32_t terms_most(const struct op_taps *taps)
{
    double all = SHARE * (double)few_terms_count_taps(taps),
           each = (double)taps->width + taps->height;
    int32_t count = 0;
    while (count < TERMS_MOST && (count + 1) * each < all)
        count++;
    return count;
}

/* Each sample of a term is rounded height times vertically, once per tap of all rows horizontally,
 * and once for the bias; one more covers the rounding of the bias itself. */
static double few_terms_growth(const struct op_taps *taps, int32_t count)
{
    double roundings = (double)taps->height + (double)count * taps->width + 2.0;
    return expm1(roundings * UNIT * SLACK);
}

static double few_terms_relative_error(const struct op_taps *taps, const struct terms *terms)
{
    return (terms->residual + few_terms_growth(taps, terms->count) * terms->gain) / terms->mask_sum;
}

/* Converts doubles to floats, times 2^bits. Returns the sum of their absolute values. */
static double round_factor(const double *from, int32_t count, int bits, float *to)
{
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        to[i] = (float)ldexp(from[i], bits);
        sum += fabs((double)to[i]);
    }
    return sum * SLACK;
}

/* Adds one more term; `rest` is the mask minus the terms before. Σ|column| is at most 1, so that no
 * intermediate sample grows. */
static void few_terms_add_term(const struct op_taps *taps, const double *column, const double *row,
                               double *rest, struct terms *terms)
{
    int32_t height = taps->height, width = taps->width;
    float *to_column = terms->columns + (int64_t)terms->count * height;
    float *to_row = terms->rows + (int64_t)terms->count * width;
    double sum = 0.0;
    int bits;
    for (int32_t y = 0; y < height; y++)
        sum += fabs(column[y]);
    frexp(sum, &bits);
    double column_sum = round_factor(column, height, -bits, to_column);
    double row_sum = round_factor(row, width, bits, to_row);
    terms->count++;
    terms->gain += column_sum * row_sum * SLACK;
    terms->row_sum += row_sum;
    sum = 0.0;
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            double *left = &rest[(int64_t)y * width + x];
            *left -= (double)to_column[y] * (double)to_row[x];
            sum += fabs(*left);
        }
    /* The remainder has rounding errors of doubles, and the taps were rounded to floats. */
    terms->residual = sum * SLACK + 0x1p-48 * terms->gain + UNIT * terms->mask_sum * SLACK +
                      (double)few_terms_area(taps) * 0x1p-149;
}

/* The largest relative error: that of one sum over all taps if no accuracy is given. */
static double few_terms_wanted(const struct op_taps *taps, double accuracy)
{
    return accuracy > 0.0 ? accuracy : expm1(((double)few_terms_count_taps(taps) + 2.0) * UNIT);
}

/* Chooses the smallest number of the `found` terms that is accurate enough; none if even all of
 * them are not. `rest` holds the mask minus these terms, before they are rounded. */
static void few_terms_choose(const struct op_taps *taps, double accuracy, const double *columns,
                             const double *rows, int32_t found, double *rest, struct terms *terms)
{
    double allowed = few_terms_wanted(taps, accuracy), left = 0.0;
    for (int64_t i = 0; i < few_terms_area(taps); i++) {
        left += fabs(rest[i]);
        rest[i] = (double)taps->f[i];
        terms->mask_sum += fabs(rest[i]);
    }
    if (left > 2.0 * allowed * terms->mask_sum) /* rounding errors cannot reduce it that far */
        return;
    for (int64_t t = 0; t < found; t++) {
        few_terms_add_term(taps, columns + t * taps->height, rows + t * taps->width, rest, terms);
        if (few_terms_relative_error(taps, terms) <= allowed)
            return;
    }
    terms->count = 0;
}

/* Tests a sample of a large mask, every few rows and columns. The mask minus its terms is estimated
 * to be as large everywhere as in the sample. If that is far too much, the slow search for terms is
 * omitted. A wrong estimate costs time only. */
static swathe_status sample_fits(const struct memory *memory, const struct op_taps *taps,
                                 double accuracy, bool *fits)
{
    enum { SIDE = 64 };
    double *matrix, sum = 0.0, left = 0.0, allowed = few_terms_wanted(taps, accuracy);
    int64_t across = taps->width / SIDE, down = taps->height / SIDE, all = SIDE * SIDE;
    *fits = true;
    if (across < 2 || down < 2)
        return SWATHE_OK;
    TRY(memory_new(memory, all + (2 * TERMS_MOST + 1) * SIDE, sizeof *matrix, "taps", &matrix));
    for (int64_t i = 0; i < all; i++)
        matrix[i] = (double)taps->f[i / SIDE * down * taps->width + i % SIDE * across];
    for (int64_t i = 0; i < few_terms_area(taps); i++)
        sum += fabs((double)taps->f[i]);
    double *columns = matrix + all, *rows = columns + TERMS_MOST * SIDE;
    svd_leading(matrix, SIDE, SIDE, TERMS_MOST, columns, rows, rows + TERMS_MOST * SIDE);
    for (int64_t i = 0; i < all; i++)
        left += fabs(matrix[i]);
    *fits = left * (double)(across * down) <= 4.0 * allowed * sum;
    memory_free(memory, matrix);
    return SWATHE_OK;
}

static swathe_status find_mask(struct arena *arena, const struct op_taps *taps, double accuracy,
                               struct terms *terms)
{
    int32_t most = terms_most(taps), height = taps->height, width = taps->width;
    double *matrix;
    bool fits;
    if (most == 0)
        return SWATHE_OK;
    TRY(sample_fits(arena->memory, taps, accuracy, &fits));
    if (!fits)
        return SWATHE_OK;
    TRY(arena_new(arena, (int64_t)most * height, sizeof *terms->columns, "taps", &terms->columns));
    TRY(arena_new(arena, (int64_t)most * width, sizeof *terms->rows, "taps", &terms->rows));
    int64_t factors = (int64_t)most * ((int64_t)height + width);
    TRY(memory_new(arena->memory, few_terms_area(taps) + factors + width, sizeof *matrix, "taps",
                   &matrix));
    double *columns = matrix + few_terms_area(taps), *rows = columns + (int64_t)most * height;
    for (int64_t i = 0; i < few_terms_area(taps); i++)
        matrix[i] = (double)taps->f[i];
    int32_t found = svd_leading(matrix, height, width, most, columns, rows,
                                matrix + few_terms_area(taps) + factors);
    few_terms_choose(taps, accuracy, columns, rows, found, matrix, terms);
    memory_free(arena->memory, matrix);
    return SWATHE_OK;
}

swathe_status terms_find(struct arena *arena, const struct op *op, double accuracy,
                         const void **found)
{
    struct terms *terms;
    *found = NULL;
    if (op->integer || op->real != SWATHE_F32 || op->rule != STAGE_DENSE)
        return SWATHE_OK;
    TRY(arena_new(arena, op->mask_count, sizeof *terms, "taps", &terms));
    for (int32_t m = 0; m < op->mask_count; m++) {
        TRY(find_mask(arena, &op->masks[m], accuracy, &terms[m]));
        if (terms[m].count == 0)
            return SWATHE_OK;
    }
    *found = terms;
    return SWATHE_OK;
}

double terms_relative_error(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    const struct terms *terms = at->analysis;
    double worst = 0.0;
    for (int32_t m = 0; m < op->mask_count; m++)
        worst = fmax(worst, few_terms_relative_error(&op->masks[m], &terms[m]));
    return worst;
}

static double mask_bound(const struct op *op, const struct op_taps *taps, const struct terms *terms)
{
    double most = op->magnitude, bias = fabs((double)op->bias);
    double underflow = (taps->height * terms->row_sum + (double)terms->count * taps->width + 2.0);
    double error = terms->residual * most +
                   few_terms_growth(taps, terms->count) * (terms->gain * most + 2.0 * bias) +
                   underflow * 0x1p-149;
    /* Results beyond the largest float are computed from the mask itself. */
    bool passes = terms->gain * most + bias + error > (double)FLT_MAX;
    return passes ? fmax(error, op->error_bound) : error;
}

double terms_error_bound(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    const struct terms *terms = at->analysis;
    double worst = 0.0;
    for (int32_t m = 0; m < op->mask_count; m++)
        worst = fmax(worst, mask_bound(op, &op->masks[m], &terms[m]));
    return worst + (sample_is_float(op->out) ? 0.0 : 0.5);
}

int64_t terms_work(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    const struct terms *terms = at->analysis;
    int64_t most = 0;
    for (int32_t m = 0; m < op->mask_count; m++)
        most = max64(most,
                     (int64_t)terms[m].count * ((int64_t)op->masks[m].width + op->masks[m].height));
    return most;
}
