/* The place on Earth of a TIFF picture: the tags of GeoTIFF, and GDAL's texts beside them. They go
 * from file to file as one block, a TIFF structure with nothing else in it. */
#ifndef SWATHE_IO_TIFF_GEO_H
#define SWATHE_IO_TIFF_GEO_H

#include "io/codec.h"
#include "io/ifd.h"
#include "io/tiff_stream.h"

/* Keeps what the directory has as the reader's block. */
swathe_status tiff_geo_read(struct image_reader *reader, const struct ifd_source *source,
                            uint64_t directory);
/* Sets the tags of the writer's block, moved to where the picture lies in the one they are of. */
swathe_status tiff_geo_write(const struct image_writer *writer, struct tiff_stream *stream,
                             TIFF *tiff);

#endif
