/* Both passes of a gaussian of u8 as products of banded matrices, on matrix units.
 *
 * A *band* is 16 rows of results. Taps are two unsigned bytes, w = 256·b + a, so that all products
 * are of unsigned bytes. The sums of a and b are separate tiles.
 *   interleave  four rows of a plane become one row of 4-byte columns, as a matrix unit reads them
 *   down        taps × rows. The 15-bit values between the passes, plus 64, are two bytes each, in
 *               tiles of 16 rows × 64 columns. The 64 are the rounding of the second pass, whose
 *               taps add up to 2^15.
 *   across      those tiles × taps. 16 columns of results are products of the tile that starts up
 *               to 31 columns before them; so that no tile is loaded across cache lines, tiles are
 *               stored from every 32nd column on.
 * Taps beyond one tile's 64 rows or columns are in further *chunks*. Chunks without a tap are
 * skipped. */
#ifndef SWATHE_CPU_BANDS_H
#define SWATHE_CPU_BANDS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BANDS_ROWS = 16,
    BANDS_COLUMNS = 64, /* of a tile of results, and depth of a product */
    BANDS_TILE = 1024,  /* bytes */
    BANDS_CHUNKS = 6,
    BANDS_QUAD = 256 /* bytes of four interleaved rows of 64 columns */
};

/* The tiles of one pass, aligned: [chunk][a, b]. */
struct bands_taps {
    bool has[BANDS_CHUNKS][2]; /* a tap that is not zero; across: b only together with a */
    uint8_t *tiles;
};

struct bands_mask {
    int32_t down_chunks, across_chunks;
    int32_t deep;                      /* down: rows from a chunk to the next, a multiple of 4 */
    struct bands_taps down, across[2]; /* across: for the first and second 16 of 32 columns */
    uint8_t order[BANDS_COLUMNS];      /* of the columns of an interleaved row */
};

/* Values between the passes of one band and plane: low and high bytes, each in tiles from columns
 * 0, 64 … on, then from 32, 96 … on. */
struct bands_middle {
    uint8_t *bytes; /* 4 × tiles × BANDS_TILE, aligned */
    int64_t tiles;  /* of each kind; across_chunks more than are computed */
};

struct bands_calls {
    /* Four rows, `row_bytes` apart; `to` has a quad for each 64 columns, `block_bytes` apart. */
    void (*interleave)(const struct bands_mask *mask, const uint8_t *rows, int64_t row_bytes,
                       int64_t blocks, uint8_t *to, int64_t block_bytes);
    /* `quads` starts at the first row that the band reads. */
    void (*down)(const struct bands_mask *mask, const uint8_t *quads, int64_t block_bytes,
                 int64_t blocks, const struct bands_middle *middle);
    /* Results of 64 columns are `block_bytes` apart; their columns are in the order of
     * bands_place. */
    void (*across)(const struct bands_mask *mask, const struct bands_middle *middle, int64_t blocks,
                   uint8_t *results, int64_t row_bytes, int64_t block_bytes);
};

/* The byte that holds a column of 64 results. */
static inline int32_t bands_place(int32_t column)
{
    return column % 16 / 2 * 8 + column / 16 * 2 + column % 2;
}

/* The column that a byte of an interleaved row holds: packing after the first pass restores the
 * order. */
static inline int32_t bands_order(int32_t byte)
{
    int32_t quarter = byte % 16 / 4;
    return byte / 16 * 16 + quarter % 2 * 8 + byte % 4 * 2 + quarter / 2;
}

extern const struct bands_calls bands_amx;

#endif
