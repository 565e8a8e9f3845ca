/* Accepts any number of rows for writers that need segments of a fixed height. */
#ifndef SWATHE_IO_SEGMENTS_H
#define SWATHE_IO_SEGMENTS_H

#include "io/codec.h"

/* The rows of an incomplete segment, after its context rows. All zero at first. */
struct segments {
    uint8_t *rows;
    int64_t first, next; /* rows of the image that are held: first … next-1 */
};

/* Takes rows of a forward writer; whole segments are prepared and delivered. */
swathe_status segments_write(struct segments *segments, struct image_writer *writer,
                             const swathe_image *from);
void segments_free(struct segments *segments, const struct memory *memory);

#endif
