/* Decoded TIFF blocks into samples of ours, interleaved. */
#ifndef SWATHE_IO_TIFF_UNPACK_H
#define SWATHE_IO_TIFF_UNPACK_H

#include "io/tiff_form.h"

/* Are decoded bytes of a block already in place, so that only tiff_unpack_finish is left? */
bool tiff_unpack_in_place(const struct tiff_form *form);
/* One row of `width` pixels of a block; `plane` counts where planes lie apart, else 0. */
void tiff_unpack_row(const struct tiff_form *form, int64_t plane, const uint8_t *raw, int64_t width,
                     uint8_t *row);
/* A row as libtiff's conversion to RGB leaves it. */
void tiff_unpack_rgba(const uint32_t *raw, int64_t width, uint8_t *row);
/* What remains when all samples of the pixels are there: colour map, inversion, alpha. */
void tiff_unpack_finish(const struct tiff_form *form, int64_t pixels, uint8_t *samples);

#endif
