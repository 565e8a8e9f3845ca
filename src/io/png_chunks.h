/* PNG metadata that libpng does not interpret: EXIF and XMP. It would allocate what a text chunk
 * claims to hold, and inflate texts that nobody wants. */
#ifndef SWATHE_IO_PNG_CHUNKS_H
#define SWATHE_IO_PNG_CHUNKS_H

#include "io/codec.h"

#include <png.h>

/* Keeps a chunk that holds EXIF or XMP; others are left alone. */
swathe_status png_chunks_keep(struct image_reader *reader, const png_byte name[4],
                              const uint8_t *bytes, size_t size);

/* Keeps such chunks that follow the image data, where exiftool and others put them, or any where
 * libpng dropped one for its size; leaves the stream where it was. A pipe's end is not known before
 * its pixels were read, and what was dropped there counts as metadata. */
swathe_status png_chunks_keep_rest(struct image_reader *reader, bool dropped);

#endif
