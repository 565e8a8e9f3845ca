/* How an image is stored as JPEG: the contents of its header, and the positions of its restart
 * markers. */
#ifndef SWATHE_IO_JPEG_FORM_H
#define SWATHE_IO_JPEG_FORM_H

#include "io/codec.h"

#include <stdio.h>

#include <jpeglib.h>

/* Checks that the format supports the size, number of channels and quality. */
swathe_status jpeg_form_check(const struct image_writer *writer);

/* Sets colours, quality and resolution of a new libjpeg struct. Values that the options do not
 * specify are taken from the source, if that is a JPEG. Otherwise chroma is stored at half the
 * resolution in both directions (4:2:0) up to quality 95, as libjpeg and Pillow do, and at full
 * resolution above it. */
void jpeg_form_set(const struct image_writer *writer, struct jpeg_compress_struct *info);

/* Writes EXIF, XMP and ICC. Call it after jpeg_start_compress. */
void jpeg_form_write_metadata(const swathe_metadata *metadata, struct jpeg_compress_struct *info);

/* Rows between two restart markers, a multiple of the MCU height (or all rows, without such
 * markers), and the number of MCUs between them. They depend only on the shape and the quality, so
 * that files do not depend on the machine. */
struct jpeg_segments {
    int64_t rows;
    unsigned interval; /* 0: no markers */
};
struct jpeg_segments jpeg_form_segments(const struct jpeg_compress_struct *info);

#endif
