/* Tags of a TIFF file that is written. */
#ifndef SWATHE_IO_TIFF_TAGS_H
#define SWATHE_IO_TIFF_TAGS_H

#include "io/codec.h"
#include "io/tiff/compression.h"
#include "io/tiff/stream.h"

/* A page of a file, and how it is divided into blocks. */
struct tiff_page {
    swathe_shape shape;
    struct tiff_compression compression;
    int64_t width, rows; /* of a block: a tile, or a strip */
    bool tiled;
    bool planar; /* each channel has separate blocks */
    bool big;    /* offsets of 64 bits */
};

/* The predictor that is applied to samples before compression. */
uint16_t tiff_tags_predictor(const struct tiff_page *page);
/* Sets the tags of the size, the samples and their compression, which suffice for compressing. */
void tiff_tags_geometry(struct tiff_stream *stream, TIFF *tiff, const struct tiff_page *page);
/* Sets all tags except the offsets and sizes of blocks. */
swathe_status tiff_tags_write(const struct image_writer *writer, struct tiff_stream *stream,
                              TIFF *tiff, const struct tiff_page *page);

/* Converts Lab: TIFF has signed a and b, ours are offset by half. `shape` is that of a block; its
 * first channel is number `plane` of the image. */
void tiff_tags_sign_lab(const swathe_shape *shape, int64_t plane, int64_t pixels, uint8_t *samples);

#endif
