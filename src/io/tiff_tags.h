/* Tags of a TIFF file that is written. */
#ifndef SWATHE_IO_TIFF_TAGS_H
#define SWATHE_IO_TIFF_TAGS_H

#include "io/codec.h"
#include "io/tiff_stream.h"

/* All tags but the places of the blocks, which are `width` x `rows` pixels. */
swathe_status tiff_tags_write(const struct writer *writer, struct tiff_stream *stream, TIFF *tiff,
                              bool big, int64_t width, int64_t rows, bool tiled);

/* TIFF's Lab has signed a and b where ours are offset by half. */
void tiff_tags_sign_lab(const swathe_shape *shape, int64_t pixels, uint8_t *samples);

#endif
