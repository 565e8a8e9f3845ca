/* The blocks (tiles or strips) of a TIFF file: their sizes, and how they are read. */
#ifndef SWATHE_IO_TIFF_BLOCK_H
#define SWATHE_IO_TIFF_BLOCK_H

#include "io/limits.h"
#include "io/tiff/form.h"

/* Shared by threads; constant after tiff_blocks_choose. */
struct tiff_blocks {
    const struct tiff_form *form;
    const struct limits *limits;
    bool forward;               /* to be read in full rows from top to bottom */
    bool sparse;                /* only omitted blocks, which are zeros, can be read */
    bool by_rows;               /* a block is one row, decoded in order; then also forward */
    int64_t height;             /* rows of a block */
    int64_t across, count;      /* blocks per row of blocks, and in total */
    int64_t raw_row, raw_bytes; /* as libtiff decodes them: a row, a block */
    int64_t row, bytes;         /* as we store them */
    int64_t needs;              /* bytes of memory to decode one */
    int64_t held;               /* bytes that all threads together may use to decode */
    int64_t kept;               /* bytes of decoded blocks to keep at most */
};

/* `stored` are the bytes of the file. */
swathe_status tiff_blocks_choose(const struct limits *limits, TIFF *tiff, int64_t stored,
                                 const struct tiff_form *form, struct tiff_blocks *blocks);
/* Size of a block in the file according to its tags, and whether it is omitted: sparse files omit
 * blocks of zeros, and their offset and size are 0. */
int64_t tiff_blocks_stored(TIFF *tiff, uint32_t block, bool *left_out);
/* Checks the limits for the block at y, which has `stored` bytes in the file. */
swathe_status tiff_blocks_check(const struct tiff_blocks *blocks, TIFF *tiff, int64_t y,
                                int64_t stored);
/* Checks that blocks have the same size for this handle. The size depends on tags that we do not
 * read. */
swathe_status tiff_blocks_agree(const struct tiff_blocks *blocks, TIFF *tiff);
/* Number of rows of the block at y that the file contains. */
int64_t tiff_blocks_rows(const struct tiff_blocks *blocks, int64_t y);

#endif
