/* Converts decoded TIFF blocks to our interleaved samples. */
#ifndef SWATHE_IO_TIFF_UNPACK_H
#define SWATHE_IO_TIFF_UNPACK_H

#include "io/tiff/form.h"

/* True if decoded bytes of a block already have our layout, so that only tiff_unpack_finish is
 * needed. */
bool tiff_unpack_in_place(const struct tiff_form *form);
/* Converts one row of `width` pixels of a block; `plane` is its plane if planes are separate,
 * otherwise 0. */
void tiff_unpack_row(const struct tiff_form *form, int64_t plane, const uint8_t *raw, int64_t width,
                     uint8_t *row);
/* Converts a row that libtiff has converted to RGB. */
void tiff_unpack_rgba(const uint32_t *raw, int64_t width, uint8_t *row);
/* Inverts the bits of an unsigned sample of `size` bytes that are set in `mask`. */
void tiff_unpack_flip(uint8_t *sample, int32_t size, uint32_t mask);
/* Does the last steps, after all samples of the pixels were unpacked: colour map, inversion,
 * alpha. */
void tiff_unpack_finish(const struct tiff_form *form, int64_t pixels, uint8_t *samples);

#endif
