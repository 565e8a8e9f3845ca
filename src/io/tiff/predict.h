/* TIFF's predictors: samples as differences from their neighbours, which compress better. libtiff
 * has them too, but allocates memory for each row and writes other data if that fails. */
#ifndef SWATHE_IO_TIFF_PREDICT_H
#define SWATHE_IO_TIFF_PREDICT_H

#include "base/status.h"

#include <stdbool.h>

struct tiff_predict {
    uint16_t kind; /* PREDICTOR_NONE, PREDICTOR_HORIZONTAL, PREDICTOR_FLOATINGPOINT */
    int32_t size;  /* bytes of a sample: 1, 2, 4 or 8 */
    int64_t step;  /* samples from one pixel to the next */
    int64_t row;   /* bytes of a row, whole pixels */
};

/* Converts rows of this machine's samples to the bytes that are compressed in a little-endian file.
 * `scratch` holds a row; only PREDICTOR_FLOATINGPOINT uses it. */
void tiff_predict_encode(const struct tiff_predict *predict, int64_t rows, uint8_t *samples,
                         uint8_t *scratch);
/* Converts decompressed rows to samples. libtiff has already converted them to this machine's byte
 * order (`swapped`: by swapping bytes). */
void tiff_predict_decode(const struct tiff_predict *predict, bool swapped, int64_t rows,
                         uint8_t *samples, uint8_t *scratch);
/* True if this machine is little-endian, like the files that we write. */
bool tiff_predict_little_endian(void);
/* Converts this machine's samples to little-endian ones, or back. */
void tiff_predict_order(int32_t size, int64_t bytes, uint8_t *samples);

#endif
