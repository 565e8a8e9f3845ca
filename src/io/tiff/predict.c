#include "io/tiff/form.h"

#include <string.h>
#include <tiffio.h>

bool tiff_predict_little_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static void tiff_predict_swap_bytes(int32_t size, int64_t bytes, uint8_t *samples)
{
    if (size == 2)
        TIFFSwabArrayOfShort((uint16_t *)(void *)samples, (tmsize_t)(bytes / 2));
    else if (size == 4)
        TIFFSwabArrayOfLong((uint32_t *)(void *)samples, (tmsize_t)(bytes / 4));
    else if (size == 8)
        TIFFSwabArrayOfLong8((uint64_t *)(void *)samples, (tmsize_t)(bytes / 8));
}

void tiff_predict_order(int32_t size, int64_t bytes, uint8_t *samples)
{
    if (!tiff_predict_little_endian())
        tiff_predict_swap_bytes(size, bytes, samples);
}

/* ---- Numbers less the number before --------------------------------------------------------- */

#define HORIZONTAL(type, bits)                                                                     \
    static void subtract_##bits(type *row, int64_t count, int64_t step)                            \
    {                                                                                              \
        for (int64_t i = count - 1; i >= step; i--)                                                \
            row[i] = (type)(row[i] - row[i - step]);                                               \
    }                                                                                              \
    static void add_##bits(type *row, int64_t count, int64_t step)                                 \
    {                                                                                              \
        for (int64_t i = step; i < count; i++)                                                     \
            row[i] = (type)(row[i] + row[i - step]);                                               \
    }
HORIZONTAL(uint8_t, 8)
HORIZONTAL(uint16_t, 16)
HORIZONTAL(uint32_t, 32)
HORIZONTAL(uint64_t, 64)

static void tiff_predict_subtract(const struct tiff_predict *predict, uint8_t *row)
{
    int64_t count = predict->row / predict->size;
    if (predict->size == 1)
        subtract_8(row, count, predict->step);
    else if (predict->size == 2)
        subtract_16((uint16_t *)(void *)row, count, predict->step);
    else if (predict->size == 4)
        subtract_32((uint32_t *)(void *)row, count, predict->step);
    else
        subtract_64((uint64_t *)(void *)row, count, predict->step);
}

static void tiff_predict_add(const struct tiff_predict *predict, uint8_t *row)
{
    int64_t count = predict->row / predict->size;
    if (predict->size == 1)
        add_8(row, count, predict->step);
    else if (predict->size == 2)
        add_16((uint16_t *)(void *)row, count, predict->step);
    else if (predict->size == 4)
        add_32((uint32_t *)(void *)row, count, predict->step);
    else
        add_64((uint64_t *)(void *)row, count, predict->step);
}

/* ---- Floats: first the top bytes of all numbers, then the next ones … ----------------------- */

/* The position of the byte of rank `rank` in a number of `size` bytes; rank 0 is the most
 * significant. */
static int32_t tiff_predict_place(int32_t size, int32_t rank)
{
    return tiff_predict_little_endian() ? size - 1 - rank : rank;
}

static void tiff_predict_split(const struct tiff_predict *predict, uint8_t *row, uint8_t *scratch)
{
    int64_t count = predict->row / predict->size;
    for (int32_t rank = 0; rank < predict->size; rank++)
        for (int64_t i = 0, at = tiff_predict_place(predict->size, rank); i < count;
             i++, at += predict->size)
            scratch[rank * count + i] = row[at];
    memcpy(row, scratch, (size_t)predict->row);
    subtract_8(row, predict->row, predict->step);
}

static void tiff_predict_join(const struct tiff_predict *predict, uint8_t *row, uint8_t *scratch)
{
    int64_t count = predict->row / predict->size;
    add_8(row, predict->row, predict->step);
    memcpy(scratch, row, (size_t)predict->row);
    for (int32_t rank = 0; rank < predict->size; rank++)
        for (int64_t i = 0, at = tiff_predict_place(predict->size, rank); i < count;
             i++, at += predict->size)
            row[at] = scratch[rank * count + i];
}

/* ---- Blocks --------------------------------------------------------------------------------- */

void tiff_predict_encode(const struct tiff_predict *predict, int64_t rows, uint8_t *samples,
                         uint8_t *scratch)
{
    for (int64_t r = 0; r < rows; r++)
        if (predict->kind == PREDICTOR_FLOATINGPOINT)
            tiff_predict_split(predict, samples + r * predict->row, scratch);
        else if (predict->kind == PREDICTOR_HORIZONTAL)
            tiff_predict_subtract(predict, samples + r * predict->row);
    if (predict->kind != PREDICTOR_FLOATINGPOINT)
        tiff_predict_order(predict->size, rows * predict->row, samples);
}

void tiff_predict_decode(const struct tiff_predict *predict, bool swapped, int64_t rows,
                         uint8_t *samples, uint8_t *scratch)
{
    if (predict->kind == PREDICTOR_FLOATINGPOINT && swapped)
        tiff_predict_swap_bytes(predict->size, rows * predict->row, samples);
    for (int64_t r = 0; r < rows; r++)
        if (predict->kind == PREDICTOR_FLOATINGPOINT)
            tiff_predict_join(predict, samples + r * predict->row, scratch);
        else if (predict->kind == PREDICTOR_HORIZONTAL)
            tiff_predict_add(predict, samples + r * predict->row);
}
