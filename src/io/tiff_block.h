/* The blocks (tiles or strips) of a TIFF file: how large they are, and in which way they are read.
 */
#ifndef SWATHE_IO_TIFF_BLOCK_H
#define SWATHE_IO_TIFF_BLOCK_H

#include "io/limits.h"
#include "io/tiff_form.h"

/* Threads share it; nothing changes after tiff_blocks_choose. */
struct tiff_blocks {
    const struct tiff_form *form;
    const struct limits *limits;
    bool forward;               /* to be read in full rows from the top */
    bool hollow;                /* no block can be decoded: those that are left out are zeros */
    bool by_rows;               /* a block is one row, decoded in order; then also forward */
    int64_t height;             /* rows of a block */
    int64_t across, count;      /* blocks side by side, and in all */
    int64_t raw_row, raw_bytes; /* as libtiff decodes them: a row, a block */
    int64_t row, bytes;         /* as we hold them */
    int64_t needs;              /* bytes of memory to decode one */
    int64_t kept;               /* bytes of decoded blocks to keep at most */
};

/* `stored` are the bytes of the file. */
swathe_status tiff_blocks_choose(const struct limits *limits, TIFF *tiff, int64_t stored,
                                 const struct tiff_form *form, struct tiff_blocks *blocks);
/* Bytes of a block in the file, as its tags say, and whether it is left out: sparse files do that
 * to blocks of zeros, whose place and size are 0. */
int64_t tiff_blocks_stored(TIFF *tiff, uint32_t block, bool *left_out);
/* May the block at y be decoded, which has so many bytes in the file? */
swathe_status tiff_blocks_check(const struct tiff_blocks *blocks, TIFF *tiff, int64_t y,
                                int64_t stored);
/* Does this handle's idea of a block's size agree? It depends on tags that we do not read. */
swathe_status tiff_blocks_agree(const struct tiff_blocks *blocks, TIFF *tiff);
/* Rows of the block at y that the file holds. */
int64_t tiff_blocks_rows(const struct tiff_blocks *blocks, int64_t y);

#endif
