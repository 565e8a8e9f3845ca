/* The value of missing samples that GDAL stores in a TIFF, as text. */
#ifndef SWATHE_IO_TIFF_NODATA_H
#define SWATHE_IO_TIFF_NODATA_H

#include "io/codec.h"
#include "io/tiff/form.h"

/* Sets reader->metadata.nodata from the text of the tag, for the samples that the reader gives. */
void tiff_nodata_set(struct image_reader *reader, const struct tiff_form *form, const char *text);

#endif
