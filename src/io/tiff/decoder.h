/* Decodes blocks of a TIFF file. Each thread needs its own. */
#ifndef SWATHE_IO_TIFF_DECODER_H
#define SWATHE_IO_TIFF_DECODER_H

#include "io/object_pool.h"
#include "io/tiff/block.h"
#include "io/tiff/stream.h"

struct tiff_decoder {
    struct pooled_object pooled;
    const struct memory *memory;
    const struct tiff_blocks *blocks;
    struct stream *own; /* the stream of this decoder; NULL: it uses another one's */
    struct tiff_directory directory;
    struct tiff_stream stream;
    TIFF *tiff;
    uint8_t *scratch; /* a row, for the predictor */
    uint8_t *raw;     /* a block as libtiff decodes it, if our layout differs */
    uint8_t *samples; /* a block as we store it; NULL until needed */
};

/* Opens a decoder for the page whose directory is at byte `offset` of the file. `in` still belongs
 * to the caller. */
swathe_status tiff_decoder_open(const struct memory *memory, const struct limits *limits,
                                struct stream *in, uint64_t offset, struct tiff_decoder **decoder);
/* To be called before blocks are decoded. `blocks` must outlive the decoder. */
void tiff_decoder_ready(struct tiff_decoder *decoder, const struct tiff_blocks *blocks);
/* Opens another decoder for the same page, with its own stream. */
swathe_status tiff_decoder_join(const struct memory *memory, const struct limits *limits,
                                const struct stream *in, uint64_t offset,
                                const struct tiff_blocks *blocks, struct tiff_decoder **decoder);
void tiff_decoder_close(struct tiff_decoder *decoder);

/* To be called before each of the following: checks whether the block at (x, y) may be decoded, and
 * whether the file omits it, so that it is all zero. */
swathe_status tiff_decoder_check(struct tiff_decoder *decoder, int64_t x, int64_t y,
                                 bool *left_out);
/* Finds the offset and size of a plane of the block in the file; size 0 if it is omitted. False if
 * it is outside the file, or unknown. */
bool tiff_decoder_find(struct tiff_decoder *decoder, int64_t x, int64_t y, int64_t plane,
                       int64_t *offset, int64_t *size);
/* Decodes the samples of the block at (x, y): blocks->bytes of them, or fewer if the last strip has
 * fewer rows. */
swathe_status tiff_decoder_get(struct tiff_decoder *decoder, int64_t x, int64_t y, uint8_t *to);
/* The same into the decoder's own memory, valid until its next call. */
swathe_status tiff_decoder_hold(struct tiff_decoder *decoder, int64_t x, int64_t y,
                                uint8_t **samples);

#endif
