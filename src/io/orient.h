/* Rotates images upright while they are read, by EXIF's orientation, for all formats. */
#ifndef SWATHE_IO_ORIENT_H
#define SWATHE_IO_ORIENT_H

#include "io/codec.h"

/* The properties of the upright image. All zero at first. */
struct orient {
    int how; /* EXIF's number, 1 to 8; 1: upright already */
    swathe_shape shape;
    uint32_t flags;
    int64_t tile_width, tile_height;
    bool whole;      /* the whole image is decoded when its first part is read */
    uint8_t *pixels; /* in that case: the upright image */
};

/* Sets the properties for an open reader. If `wanted`, also changes the reader's metadata to
 * upright. */
swathe_status orient_start(struct orient *orient, struct image_reader *reader, bool wanted);
swathe_status orient_read(struct orient *orient, struct image_reader *reader,
                          const swathe_image *into);
/* Size of the image that is kept in memory; 0: none. */
int64_t orient_bytes(const struct orient *orient);
void orient_stop(struct orient *orient, const struct memory *memory);

#endif
