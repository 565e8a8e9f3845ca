/* The georeference of a TIFF image: the tags of GeoTIFF, and GDAL's texts. They are copied from
 * file to file as one block, a TIFF structure that contains nothing else. */
#ifndef SWATHE_IO_TIFF_GEO_H
#define SWATHE_IO_TIFF_GEO_H

#include "io/codec.h"
#include "io/metadata/ifd.h"
#include "io/tiff/form.h"
#include "io/tiff/stream.h"

/* Keeps these tags of the directory as the reader's block, and the value of missing samples. */
swathe_status tiff_geo_read(struct image_reader *reader, const struct ifd_source *source,
                            uint64_t directory, const struct tiff_form *form);
/* Sets the tags of the writer's block, adjusted by the position of the image in the one that they
 * describe, and that of missing samples. */
swathe_status tiff_geo_write(const struct image_writer *writer, struct tiff_stream *stream,
                             TIFF *tiff);

#endif
