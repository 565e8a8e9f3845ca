/* Orthogonal columns are removed from the matrix one by one, the longest remaining one first. Then
 * Jacobi rotations make the rows of these few terms orthogonal, too. The terms span the dominant
 * part of the matrix, so a large mask costs its taps times a few terms, not the cube of its
 * size. */
#include "algorithm/svd.h"

#include <math.h>
#include <stdbool.h>

enum { SWEEPS = 30 };

static double dot(const double *a, const double *b, int64_t count)
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

static void rotate(double *a, double *b, int64_t count, double c, double s)
{
    for (int64_t i = 0; i < count; i++) {
        double was = a[i];
        a[i] = c * was - s * b[i];
        b[i] = s * was + c * b[i];
    }
}

/* Makes two rows orthogonal. The columns are rotated with them, so that the sum does not change. */
static bool turn(double *column_a, double *column_b, int32_t height, double *row_a, double *row_b,
                 int32_t width)
{
    double a = dot(row_a, row_a, width), b = dot(row_b, row_b, width);
    double both = dot(row_a, row_b, width);
    if (fabs(both) <= 0x1p-50 * sqrt(a) * sqrt(b))
        return false;
    double zeta = (b - a) / (2.0 * both);
    double t = (zeta < 0.0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    double c = 1.0 / sqrt(1.0 + t * t);
    rotate(row_a, row_b, width, c, c * t);
    rotate(column_a, column_b, height, c, c * t);
    return true;
}

static void swap(double *a, double *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        double was = a[i];
        a[i] = b[i];
        b[i] = was;
    }
}

static void sort(double *columns, double *rows, int32_t height, int32_t width, int32_t count)
{
    for (int64_t t = 0; t < count; t++) {
        int64_t best = t;
        for (int64_t s = t + 1; s < count; s++)
            if (dot(rows + s * width, rows + s * width, width) >
                dot(rows + best * width, rows + best * width, width))
                best = s;
        swap(columns + t * height, columns + best * height, height);
        swap(rows + t * width, rows + best * width, width);
    }
}

int32_t svd_leading(double *matrix, int32_t height, int32_t width, int32_t most, double *columns,
                    double *rows, double *norms)
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
                turned |= turn(columns + a * height, columns + b * height, height, rows + a * width,
                               rows + b * width, width);
    }
    sort(columns, rows, height, width, count);
    return count;
}
