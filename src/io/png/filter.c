#include "io/png/png.h"

#include "io/vectors.h"

#include <stdbool.h>
#include <string.h>

/* Bytes that all passes process before the next ones, so that they stay in the L1 cache. Sums use
 * 16-bit lanes, which is half the work of 32-bit ones: each adds at most 64 magnitudes of at most
 * 128. */
enum { BLOCK = 4096, LANES = 64 };

/* ---- Predictions ---------------------------------------------------------------------------- */

/* The magnitude of a difference as a signed byte. */
static inline uint8_t png_filter_magnitude(uint8_t difference)
{
    uint8_t negative = (uint8_t)-difference;
    return difference < negative ? difference : negative;
}

static inline uint8_t png_filter_distance(uint8_t a, uint8_t b)
{
    return (uint8_t)(a > b ? a - b : b - a);
}

static inline uint8_t png_filter_mean(uint8_t left, uint8_t above)
{
    return (uint8_t)((left + above) >> 1);
}

/* The one of the three that is nearest to left + above - corner, or the first of several (Paeth's
 * predictor). In bytes: the distance is |above - corner| to left, |left - corner| to above, and to
 * the corner their difference if one rises and the other falls. Otherwise it is their sum, and the
 * corner is not the nearest. */
static inline uint8_t png_filter_nearest(uint8_t left, uint8_t above, uint8_t corner)
{
    uint8_t to_left = png_filter_distance(above, corner),
            to_above = png_filter_distance(left, corner);
    uint8_t apart = png_filter_distance(to_left, to_above);
    uint8_t to_corner = (above >= corner) == (left >= corner) ? 255 : apart;
    uint8_t other = to_above <= to_corner ? above : corner;
    bool by_left = (to_left <= to_above) & (to_left <= to_corner);
    return by_left ? left : other;
}

/* ---- Sums of magnitudes of a block ---------------------------------------------------------- */

/* The sum of png_filter_magnitude(DIFFERENCE) over all i. */
#define SUM(DIFFERENCE)                                                                            \
    uint16_t lanes[LANES] = {0};                                                                   \
    uint32_t sum = 0;                                                                              \
    size_t at = 0;                                                                                 \
    for (; at + LANES <= size; at += LANES)                                                        \
        for (size_t lane = 0, i = at; lane < LANES; lane++, i++)                                   \
            lanes[lane] = (uint16_t)(lanes[lane] + png_filter_magnitude((uint8_t)(DIFFERENCE)));   \
    for (int lane = 0; lane < LANES; lane++)                                                       \
        sum += lanes[lane];                                                                        \
    for (size_t i = at; i < size; i++)                                                             \
        sum += png_filter_magnitude((uint8_t)(DIFFERENCE));                                        \
    return sum

VECTORS static uint32_t sum_plain(const uint8_t *row, size_t size)
{
    SUM(row[i]);
}

VECTORS static uint32_t sum_difference(const uint8_t *row, const uint8_t *other, size_t size)
{
    SUM(row[i] - other[i]);
}

VECTORS static uint32_t sum_mean(const uint8_t *row, const uint8_t *left, const uint8_t *above,
                                 size_t size)
{
    SUM(row[i] - png_filter_mean(left[i], above[i]));
}

VECTORS static uint32_t sum_nearest(const uint8_t *row, const uint8_t *left, const uint8_t *above,
                                    const uint8_t *corner, size_t size)
{
    SUM(row[i] - png_filter_nearest(left[i], above[i], corner[i]));
}

/* ---- Differences ---------------------------------------------------------------------------- */

VECTORS static void take_difference(const uint8_t *row, const uint8_t *other, size_t size,
                                    uint8_t *restrict to)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(row[i] - other[i]);
}

VECTORS static void take_mean(const uint8_t *row, const uint8_t *left, const uint8_t *above,
                              size_t size, uint8_t *restrict to)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(row[i] - png_filter_mean(left[i], above[i]));
}

VECTORS static void take_nearest(const uint8_t *row, const uint8_t *left, const uint8_t *above,
                                 const uint8_t *corner, size_t size, uint8_t *restrict to)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(row[i] - png_filter_nearest(left[i], above[i], corner[i]));
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static void png_filter_add_block(const uint8_t *row, const uint8_t *above, size_t size,
                                 size_t pixel, uint64_t *sums)
{
    sums[PNG_FILTER_NO] += sum_plain(row, size);
    sums[PNG_FILTER_LEFT] += sum_difference(row, row - pixel, size);
    sums[PNG_FILTER_ABOVE] += sum_difference(row, above, size);
    sums[PNG_FILTER_MEAN] += sum_mean(row, row - pixel, above, size);
    sums[PNG_FILTER_NEAREST] += sum_nearest(row, row - pixel, above, above - pixel, size);
}

enum png_filter png_filter_choose(const uint8_t *row, const uint8_t *above, size_t size,
                                  size_t pixel)
{
    uint64_t sums[5] = {0};
    enum png_filter best = PNG_FILTER_NO;
    for (size_t i = 0; i < pixel; i++) { /* the pixel to its left is zero */
        sums[PNG_FILTER_NO] += png_filter_magnitude(row[i]);
        sums[PNG_FILTER_LEFT] += png_filter_magnitude(row[i]);
        sums[PNG_FILTER_ABOVE] += png_filter_magnitude((uint8_t)(row[i] - above[i]));
        sums[PNG_FILTER_MEAN] +=
            png_filter_magnitude((uint8_t)(row[i] - png_filter_mean(0, above[i])));
        sums[PNG_FILTER_NEAREST] += png_filter_magnitude((uint8_t)(row[i] - above[i]));
    }
    for (size_t at = pixel; at < size; at += BLOCK)
        png_filter_add_block(row + at, above + at, size - at < BLOCK ? size - at : BLOCK, pixel,
                             sums);
    for (enum png_filter filter = PNG_FILTER_LEFT; filter <= PNG_FILTER_NEAREST; filter++)
        if (sums[filter] < sums[best])
            best = filter;
    return best;
}

void png_filter_apply(enum png_filter filter, const uint8_t *row, const uint8_t *above, size_t size,
                      size_t pixel, uint8_t *to)
{
    *to++ = (uint8_t)filter;
    if (filter == PNG_FILTER_NO) {
        memcpy(to, row, size);
        return;
    }
    for (size_t i = 0; i < pixel; i++) {
        uint8_t predicted = filter == PNG_FILTER_LEFT ? 0 : above[i];
        to[i] = (uint8_t)(row[i] - (filter == PNG_FILTER_MEAN ? predicted >> 1 : predicted));
    }
    const uint8_t *left = row, *corner = above;
    row += pixel, above += pixel, size -= pixel, to += pixel;
    if (filter == PNG_FILTER_LEFT)
        take_difference(row, left, size, to);
    else if (filter == PNG_FILTER_ABOVE)
        take_difference(row, above, size, to);
    else if (filter == PNG_FILTER_MEAN)
        take_mean(row, left, above, size, to);
    else
        take_nearest(row, left, above, corner, size, to);
}
