/* How a picture is stored as JPEG: what its header says, and where its restart markers are. */
#ifndef SWATHE_IO_JPEG_FORM_H
#define SWATHE_IO_JPEG_FORM_H

#include "io/codec.h"

#include <stdio.h>

#include <jpeglib.h>

/* Size, number of channels and quality within what the format holds. */
swathe_status jpeg_form_check(const struct image_writer *writer);

/* Colours, quality and resolution of a new libjpeg struct. What the options leave open is as in the
 * source, if that was a JPEG. Else, up to quality 95, colour is stored at half the resolution in
 * both directions (4:2:0), libjpeg's and Pillow's habit; above it at full resolution, since whoever
 * asks for that wants colours sharp as well. */
void jpeg_form_set(const struct image_writer *writer, struct jpeg_compress_struct *info);

/* EXIF, XMP and ICC, after jpeg_start_compress. */
void jpeg_form_write_metadata(const swathe_metadata *metadata, struct jpeg_compress_struct *info);

/* Rows between two restart markers, a multiple of the height of the blocks that are coded together
 * (or all of the image, which then has no such marker), and how many of these blocks that are. They
 * depend on nothing but the shape and the quality, so that files do not depend on the machine. */
struct jpeg_segments {
    int64_t rows;
    unsigned interval; /* 0: no markers */
};
struct jpeg_segments jpeg_form_segments(const struct jpeg_compress_struct *info);

#endif
