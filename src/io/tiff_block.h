/* Decoded blocks (tiles or strips) of a TIFF file, the latest of them kept, so that parts that
 * overlap or touch do not decode a block again. */
#ifndef SWATHE_IO_TIFF_BLOCK_H
#define SWATHE_IO_TIFF_BLOCK_H

#include "base/memory.h"
#include "io/tiff_form.h"
#include "io/tiff_stream.h"

struct tiff_blocks {
    TIFF *tiff;
    struct tiff_stream *stream;
    const struct tiff_form *form;
    const struct memory *memory;
    bool forward;               /* to be read in full rows from the top */
    bool by_rows;               /* a block is one row, decoded in order; then also forward */
    int64_t height;             /* rows of a block */
    int64_t across;             /* blocks side by side */
    int64_t raw_row, raw_bytes; /* as libtiff decodes them: a row, a block */
    int64_t row, bytes;         /* as we hold them */
    uint8_t *raw;
    /* `sets` times `ways` places; block i may stand in those of set i % sets. */
    int64_t sets, ways;
    int64_t *keys;  /* 1 + block; 0: free */
    int64_t *dates; /* of last use */
    int64_t now;
    uint8_t *places;
};

/* Chooses how to read, within the limits. */
swathe_status tiff_blocks_open(struct tiff_blocks *blocks, const struct memory *memory,
                               const struct limits *limits, TIFF *tiff, struct tiff_stream *stream,
                               const struct tiff_form *form);
void tiff_blocks_close(struct tiff_blocks *blocks);
/* The samples of the block in column bx and row by of blocks, until the next call. */
swathe_status tiff_blocks_get(struct tiff_blocks *blocks, int64_t bx, int64_t by,
                              uint8_t **samples);

#endif
