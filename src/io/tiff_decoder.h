/* Decodes blocks of a TIFF file. Each thread needs its own. */
#ifndef SWATHE_IO_TIFF_DECODER_H
#define SWATHE_IO_TIFF_DECODER_H

#include "io/spares.h"
#include "io/tiff_block.h"
#include "io/tiff_stream.h"

struct tiff_decoder {
    struct spare spare;
    const struct memory *memory;
    const struct tiff_blocks *blocks;
    struct stream *own; /* where this reads; NULL: the stream is another's */
    struct tiff_directory directory;
    struct tiff_stream stream;
    TIFF *tiff;
    uint8_t *scratch; /* a row, for the predictor */
    uint8_t *raw;     /* a block as libtiff decodes it, where that is not ours */
    uint8_t *samples; /* a block as we hold it, once one was needed */
};

/* For the picture whose tags are the file's directory at byte `offset`. `in` stays the caller's. */
swathe_status tiff_decoder_open(const struct memory *memory, const struct limits *limits,
                                struct stream *in, uint64_t offset, struct tiff_decoder **decoder);
/* Before blocks are decoded; they outlive the decoder. */
void tiff_decoder_ready(struct tiff_decoder *decoder, const struct tiff_blocks *blocks);
/* A further one for the same picture, through a stream of its own. */
swathe_status tiff_decoder_join(const struct memory *memory, const struct limits *limits,
                                const struct stream *in, uint64_t offset,
                                const struct tiff_blocks *blocks, struct tiff_decoder **decoder);
void tiff_decoder_close(struct tiff_decoder *decoder);

/* Before each of the following: may the block at (x, y) be decoded, and is it left out in the file,
 * so that all it has is zeros? */
swathe_status tiff_decoder_check(struct tiff_decoder *decoder, int64_t x, int64_t y,
                                 bool *left_out);
/* Where a plane of the block is in the file, and how many bytes it has there, 0 if it is left out;
 * false: not in the file, or not to be told. */
bool tiff_decoder_find(struct tiff_decoder *decoder, int64_t x, int64_t y, int64_t plane,
                       int64_t *offset, int64_t *size);
/* The samples of the block at (x, y): blocks->bytes of them, or those of the rows that a last strip
 * has. */
swathe_status tiff_decoder_get(struct tiff_decoder *decoder, int64_t x, int64_t y, uint8_t *to);
/* The same into the decoder's own memory, until its next call. */
swathe_status tiff_decoder_hold(struct tiff_decoder *decoder, int64_t x, int64_t y,
                                uint8_t **samples);

#endif
