/* Both passes of a gaussian of u8 as products of banded matrices, on matrix units.
 *
 * A *band* is 16 rows of results. Taps are two unsigned bytes, w = 256·b + a, so that all products
 * are of unsigned bytes. The sums of a and b are separate tiles.
 *   interleave  four rows of a plane become one row of 4-byte columns, as a matrix unit reads them
 *   down        taps × rows. The values between the passes, of up to 15 bits, are two bytes each,
 *               in tiles of 16 rows × 64 columns. They contain the rounding of the second pass,
 *               whose taps add up to a power of two.
 *   across      those tiles × taps. 16 columns of results are products of the tile that starts up
 *               to 31 columns before them; so that no tile is loaded across cache lines, tiles are
 *               stored from every 32nd column on.
 * Taps beyond one tile's 64 rows or columns are in further *chunks*. Chunks without a tap are
 * skipped.
 *
 * Interleaved rows are in a ring of a multiple of 16 rows, at least as many as a band reads. They
 * do not move: the taps have tiles for each of the 16-row *turns* of the ring that a band may start
 * at. */
#ifndef SWATHE_CPU_BANDS_H
#define SWATHE_CPU_BANDS_H

#include "cpu/shuffle.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    BANDS_ROWS = 16,
    BANDS_COLUMNS = 64, /* of a tile of results, and depth of a product */
    BANDS_TILE = 1024,  /* bytes */
    BANDS_CHUNKS = 6,
    BANDS_TURNS = 16,
    BANDS_QUAD = 256 /* bytes of four interleaved rows of 64 columns */
};

/* The tiles of one pass, aligned: [chunk][a, b]. */
struct bands_taps {
    bool has[BANDS_CHUNKS][2]; /* a tap that is not zero; across: b only together with a */
    uint8_t *tiles;
};

struct bands_mask {
    int32_t down_chunks, across_chunks;
    int32_t deep;       /* down: rows from a chunk to the next, a multiple of 4 */
    int32_t down_start; /* the rounding of both passes, in the units of the first one's sums */
    int32_t down_shift, across_shift; /* of the sums divided by 256; one chunk: down_shift is 0 */
    struct bands_taps down[BANDS_TURNS];
    struct bands_taps across[2]; /* for the first and second 16 of 32 columns */
};

/* Interleaved rows: for each plane, for each 64 columns, the ring. */
struct bands_quads {
    uint8_t *bytes; /* aligned; four tiles more than `planes × blocks × block_bytes` */
    int64_t block_bytes, blocks;
};

/* Values between the passes of one band and plane: low and high bytes, each in tiles from columns
 * 0, 64 … on, then from 32, 96 … on. */
struct bands_middle {
    uint8_t *bytes; /* 4 × tiles × BANDS_TILE, aligned */
    int64_t tiles;  /* of each kind; across_chunks more than are computed */
};

/* Rows that are prefetched while tiles are multiplied, some lines in each step. */
struct bands_ahead {
    const uint8_t *const *in; /* NULL: none */
    void *const *out;         /* NULL: none */
    int64_t rows, bytes;      /* bytes of a row */
    int64_t row, at;          /* the next */
};

struct bands_calls {
    /* Splits four rows of `bytes` each into the quads that start at `to->bytes`. The first pixel is
     * column `lead` of the first block. */
    void (*interleave)(const struct tiles_shuffle *split, const uint8_t *const *rows, int64_t bytes,
                       int64_t lead, const struct bands_quads *to);
    /* The quads start at the first block that the band reads. */
    void (*down)(const struct bands_mask *mask, int32_t turn, const uint8_t *quads,
                 int64_t block_bytes, int64_t blocks, const struct bands_middle *middle);
    /* Results of 64 columns are `block_bytes` apart; their columns are in the order of
     * bands_place. */
    void (*across)(const struct bands_mask *mask, const struct bands_middle *middle, int64_t blocks,
                   uint8_t *results, int64_t row_bytes, int64_t block_bytes,
                   struct bands_ahead *ahead);
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
