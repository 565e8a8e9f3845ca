/* Tags of a TIFF file that is written. */
#ifndef SWATHE_IO_TIFF_TAGS_H
#define SWATHE_IO_TIFF_TAGS_H

#include "io/codec.h"
#include "io/tiff_compression.h"
#include "io/tiff_stream.h"

/* A picture of a file, and how it is cut into blocks. */
struct tiff_picture {
    swathe_shape shape;
    struct tiff_compression compression;
    int64_t width, rows; /* of a block: a tile, or a strip */
    bool tiled;
    bool planar; /* each channel has blocks of its own */
    bool big;    /* offsets of 64 bits */
};

/* Which differences the samples are replaced by before they are compressed. */
uint16_t tiff_tags_predictor(const struct tiff_picture *picture);
/* Tags of the size, the samples and their compression, which are all that compressing needs. */
void tiff_tags_geometry(struct tiff_stream *stream, TIFF *tiff, const struct tiff_picture *picture);
/* All tags but the places of the blocks. */
swathe_status tiff_tags_write(const struct image_writer *writer, struct tiff_stream *stream,
                              TIFF *tiff, const struct tiff_picture *picture);

/* TIFF's Lab has signed a and b where ours are offset by half. `shape` is a block's; its first
 * channel is number `plane` of the picture. */
void tiff_tags_sign_lab(const swathe_shape *shape, int64_t plane, int64_t pixels, uint8_t *samples);

#endif
