/* PNG metadata that libpng does not interpret: EXIF and XMP. libpng would allocate the declared
 * size of a text chunk, and inflate texts that are not used. */
#ifndef SWATHE_IO_PNG_CHUNKS_H
#define SWATHE_IO_PNG_CHUNKS_H

#include "io/codec.h"

#include <png.h>

/* Keeps a chunk that contains EXIF or XMP; ignores others. */
swathe_status png_chunks_keep(struct image_reader *reader, const png_byte name[4],
                              const uint8_t *bytes, size_t size);

/* Keeps such chunks after the image data, where exiftool and others store them, or all if libpng
 * dropped one because of its size. Restores the position of the stream. The end of a pipe is
 * unknown before its pixels are read, so a chunk that was dropped there exceeds the metadata
 * limit. */
swathe_status png_chunks_keep_rest(struct image_reader *reader, bool dropped);

#endif
