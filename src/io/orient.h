/* Pictures turned upright while they are read: by EXIF's orientation, whatever the format. */
#ifndef SWATHE_IO_ORIENT_H
#define SWATHE_IO_ORIENT_H

#include "io/codec.h"

/* What the image is like once it is upright. All zero at first. */
struct orient {
    int how; /* EXIF's number, 1 to 8; 1: upright already */
    swathe_shape shape;
    uint32_t flags;
    int64_t tile_width, tile_height;
    bool whole;      /* decoded before its first part is read */
    uint8_t *pixels; /* then: all of it, upright */
};

/* For an open reader. Where `wanted`, the reader's metadata says from now on that it is upright. */
swathe_status orient_start(struct orient *orient, struct image_reader *reader, bool wanted);
swathe_status orient_read(struct orient *orient, struct image_reader *reader,
                          const swathe_image *into);
/* Of the image that is kept whole; 0: none is. */
int64_t orient_bytes(const struct orient *orient);
void orient_stop(struct orient *orient, const struct memory *memory);

#endif
