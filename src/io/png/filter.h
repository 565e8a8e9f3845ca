/* The five filters of PNG: a row is replaced by its differences from a prediction, which is
 * computed from neighbouring samples. */
#ifndef SWATHE_IO_PNG_FILTER_H
#define SWATHE_IO_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* Their numbers in the file. */
enum png_filter {
    PNG_FILTER_NO,
    PNG_FILTER_LEFT,
    PNG_FILTER_ABOVE,
    PNG_FILTER_MEAN,
    PNG_FILTER_NEAREST /* Paeth */
};

/* The filter whose differences have the smallest sum of magnitudes. Rows are as in the file;
 * `pixel` is the bytes of a pixel; `above` is all zero for the first row. Depends on these two rows
 * only. */
enum png_filter png_filter_choose(const uint8_t *row, const uint8_t *above, size_t size,
                                  size_t pixel);
/* Writes the filter's number, then the differences: size + 1 bytes. */
void png_filter_apply(enum png_filter filter, const uint8_t *row, const uint8_t *above, size_t size,
                      size_t pixel, uint8_t *to);

#endif
