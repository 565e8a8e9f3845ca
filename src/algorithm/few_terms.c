#include "algorithm/few_terms.h"

#include "algorithm/svd.h"
#include "base/checked.h"

#include <float.h>
#include <math.h>

enum { TERMS_MOST = 12 };
#define UNIT  0x1p-24
#define SLACK (1.0 + 0x1p-40)
/* Largest share of the multiply-adds of one sum over all taps: with more, two passes cannot be
 * faster. */
#define SHARE 0.6

static int64_t area(const struct op_taps *taps)
{
    return (int64_t)taps->width * taps->height;
}

static int64_t count_taps(const struct op_taps *taps)
{
    int64_t count = 0;
    for (int64_t i = 0; i < area(taps); i++)
        count += taps->f[i] != 0.0f;
    return count;
}

/* Largest number of terms that still saves work. */
static int32_t terms_most(const struct op_taps *taps)
{
    double all = SHARE * (double)count_taps(taps), each = (double)taps->width + taps->height;
    int32_t count = 0;
    while (count < TERMS_MOST && (count + 1) * each < all)
        count++;
    return count;
}

/* Each sample of a term is rounded height times vertically, once per tap of all rows horizontally,
 * and once for the bias; one more covers the rounding of the bias itself. */
static double growth(const struct op_taps *taps, int32_t count)
{
    double roundings = (double)taps->height + (double)count * taps->width + 2.0;
    return expm1(roundings * UNIT * SLACK);
}

static double relative_error(const struct op_taps *taps, const struct terms *terms)
{
    return (terms->residual + growth(taps, terms->count) * terms->gain) / terms->mask_sum;
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
static void add_term(const struct op_taps *taps, const double *column, const double *row,
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
                      (double)area(taps) * 0x1p-149;
}

/* The largest relative error: that of one sum over all taps if no accuracy is given. */
static double wanted(const struct op_taps *taps, double accuracy)
{
    return accuracy > 0.0 ? accuracy : expm1(((double)count_taps(taps) + 2.0) * UNIT);
}

/* Chooses the smallest number of the `found` terms that is accurate enough; none if even all of
 * them are not. `rest` holds the mask minus these terms, before they are rounded. */
static void choose(const struct op_taps *taps, double accuracy, const double *columns,
                   const double *rows, int32_t found, double *rest, struct terms *terms)
{
    double allowed = wanted(taps, accuracy), left = 0.0;
    for (int64_t i = 0; i < area(taps); i++) {
        left += fabs(rest[i]);
        rest[i] = (double)taps->f[i];
        terms->mask_sum += fabs(rest[i]);
    }
    if (left > 2.0 * allowed * terms->mask_sum) /* rounding errors cannot reduce it that far */
        return;
    for (int64_t t = 0; t < found; t++) {
        add_term(taps, columns + t * taps->height, rows + t * taps->width, rest, terms);
        if (relative_error(taps, terms) <= allowed)
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
    double *matrix, sum = 0.0, left = 0.0, allowed = wanted(taps, accuracy);
    int64_t across = taps->width / SIDE, down = taps->height / SIDE, all = SIDE * SIDE;
    *fits = true;
    if (across < 2 || down < 2)
        return SWATHE_OK;
    TRY(memory_new(memory, all + (2 * TERMS_MOST + 1) * SIDE, sizeof *matrix, "taps", &matrix));
    for (int64_t i = 0; i < all; i++)
        matrix[i] = (double)taps->f[i / SIDE * down * taps->width + i % SIDE * across];
    for (int64_t i = 0; i < area(taps); i++)
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
    TRY(memory_new(arena->memory, area(taps) + factors + width, sizeof *matrix, "taps", &matrix));
    double *columns = matrix + area(taps), *rows = columns + (int64_t)most * height;
    for (int64_t i = 0; i < area(taps); i++)
        matrix[i] = (double)taps->f[i];
    int32_t found =
        svd_leading(matrix, height, width, most, columns, rows, matrix + area(taps) + factors);
    choose(taps, accuracy, columns, rows, found, matrix, terms);
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
        worst = fmax(worst, relative_error(&op->masks[m], &terms[m]));
    return worst;
}

static double mask_bound(const struct op *op, const struct op_taps *taps, const struct terms *terms)
{
    double most = op->magnitude, bias = fabs((double)op->bias);
    double underflow = (taps->height * terms->row_sum + (double)terms->count * taps->width + 2.0);
    double error = terms->residual * most +
                   growth(taps, terms->count) * (terms->gain * most + 2.0 * bias) +
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
