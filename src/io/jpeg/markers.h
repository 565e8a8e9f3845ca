/* Metadata in the markers of a JPEG file: EXIF, XMP and ICC. libjpeg's own list of markers takes
 * quadratic time, and memory for markers that are not used. */
#ifndef SWATHE_IO_JPEG_MARKERS_H
#define SWATHE_IO_JPEG_MARKERS_H

#include "io/codec.h"

#include <stdio.h>

#include <jpeglib.h>

enum { JPEG_MARKERS_PARTS = 256, JPEG_MARKERS_MAX = 0xFFFF };

struct jpeg_markers {
    struct image_reader *reader;
    /* The parts of the profile read so far, by number. Files may repeat a part: the first is
     * kept. */
    uint8_t *parts[JPEG_MARKERS_PARTS];
    size_t sizes[JPEG_MARKERS_PARTS];
    size_t bytes; /* of all parts */
    int total;    /* number of parts; 0: none was seen */
    bool closed;  /* no more parts are kept */
    uint8_t data[JPEG_MARKERS_MAX];
};

/* For libjpeg's callbacks for APP1 and APP2: reads the next marker. */
void jpeg_markers_read(struct jpeg_markers *markers, j_decompress_ptr info);
/* To be called after the header: keeps the profile if it is complete. Later markers are skipped. */
swathe_status jpeg_markers_keep_profile(struct jpeg_markers *markers);
void jpeg_markers_free(struct jpeg_markers *markers);

#endif
