/* Metadata in the markers of a JPEG file: EXIF, XMP and ICC. libjpeg's own list of markers takes
 * time that grows with the square of their number, and memory for those that nobody wants. */
#ifndef SWATHE_IO_JPEG_MARKERS_H
#define SWATHE_IO_JPEG_MARKERS_H

#include "io/codec.h"

#include <stdio.h>

#include <jpeglib.h>

enum { JPEG_MARKERS_PARTS = 256, JPEG_MARKERS_MAX = 0xFFFF };

struct jpeg_markers {
    struct image_reader *reader;
    /* The profile so far, by the numbers of its parts: the first of each, as files may repeat
     * them. */
    uint8_t *parts[JPEG_MARKERS_PARTS];
    size_t sizes[JPEG_MARKERS_PARTS];
    size_t bytes; /* of all parts */
    int total;    /* parts; 0: none was seen */
    bool closed;  /* nothing more is kept */
    uint8_t data[JPEG_MARKERS_MAX];
};

/* For libjpeg's callbacks, for APP1 and APP2: reads the marker that comes next. */
void jpeg_markers_read(struct jpeg_markers *markers, j_decompress_ptr info);
/* After the header: keeps the profile if all its parts came. Later markers are only skipped. */
swathe_status jpeg_markers_keep_profile(struct jpeg_markers *markers);
void jpeg_markers_free(struct jpeg_markers *markers);

#endif
