/* Matrix units: a dense mask as a banded Toeplitz matrix times a matrix of image rows.
 *
 * A *patch* of results is 64 columns wide and 4 rows high. A *line* is 64 samples of one row,
 * starting 4·c columns right of the patch's first column. A matrix unit for bytes treats it as 16
 * columns of 4 bytes, one for every 4 results of a row. The lines of a patch, all c of its first
 * row, then all of the next, are the rows of one matrix. The other matrix is 16 rows high: the
 * mask, shifted to each of the 4 × 4 results that share a column:
 *     results[4·dy + dx][n] = Σ over lines, bytes b: mask[row − dy][4·c + b − dx] · line[4·n + b]
 * A matrix unit processes 16 lines at a time, a *chunk*. Chunks in which the mask is zero are
 * skipped.
 *
 * Samples of 16 bits are two unsigned 8-bit halves, taps up to three signed 8-bit pieces. Products
 * of equal weight (a power of 256) add up in one *class* of 32-bit sums. */
#ifndef SWATHE_CPU_TILES_H
#define SWATHE_CPU_TILES_H

#include "base/memory.h"
#include "cpu/bands.h"
#include "cpu/shuffle.h"
#include "image/sample.h"

enum {
    TILES_COLUMNS = 64, /* of a patch */
    TILES_ROWS = 4,
    TILES_STEP = 4,     /* columns from a line to the next of the same row */
    TILES_LINES = 16,   /* of a chunk */
    TILES_BYTES = 1024, /* of a chunk, and of a tile of the mask */
    TILES_HALVES = 2,
    TILES_PIECES = 3,
    TILES_CLASSES = TILES_HALVES + TILES_PIECES - 1
};

struct tiles_mask {
    int32_t halves, pieces;
    int32_t chunk_count;
    const int32_t *chunk_line; /* start of each, in lines from the patch's first line */
    const int8_t *tiles;       /* chunks × pieces, lowest piece first, aligned */
    /* Results are clamp(Σ (class + add[class])·256^class >> shift). */
    int32_t add[TILES_CLASSES], shift;
};

static inline int32_t tiles_classes(const struct tiles_mask *mask)
{
    return mask->halves + mask->pieces - 1;
}

/* Patches in one column that are computed at once: 4 tiles hold their sums. */
static inline int32_t tiles_at_once(const struct tiles_mask *mask)
{
    return 4 / tiles_classes(mask);
}

/* A column of patches. */
struct tiles_column {
    const struct tiles_mask *mask;
    const uint8_t *lines[TILES_HALVES]; /* aligned; for all patches, padded to whole chunks */
    int64_t patch_lines;                /* lines from one patch to the next */
    int32_t patches;                    /* a multiple of tiles_at_once */
    swathe_type type;                   /* of results */
    int32_t low, high;
    /* 64 bytes per row, aligned. 16-bit types: 32 columns, and the others 64 bytes later, in the
     * order of tiles_word. */
    uint8_t *results;
    int64_t row_bytes;
};

/* The position of a column within 32 results of 16 bits: in the order in which the sums of every
 * fourth column are packed. */
static inline int32_t tiles_word(int32_t column)
{
    int32_t quad = column / 4, in_quad = column % 4;
    return in_quad / 2 * 16 + quad / 4 * 8 + in_quad % 2 * 4 + quad % 4;
}

struct tiles_calls {
    /* Must enclose all other calls, on the same thread. */
    void (*begin)(void);
    void (*end)(void);
    /* Splits `bytes` of pixels into planes; whole vectors are written. */
    void (*split)(const struct tiles_shuffle *shuffle, const uint8_t *pixels, int64_t bytes,
                  uint8_t *planes, int64_t plane_bytes);
    /* Joins rows of 64 samples of each plane to `bytes` of pixels at an offset. */
    void (*join)(const struct tiles_shuffle *shuffle, const uint8_t *planes, int64_t rows,
                 void *const *pixels, int64_t offset, int64_t bytes);
    /* Copies the lines of `rows` rows; the first line of each starts at the row's first sample. */
    void (*spread)(const uint8_t *row, int64_t row_bytes, int64_t rows, int64_t row_lines,
                   uint8_t *lines);
    void (*sum)(const struct tiles_column *column);
    const struct bands_calls *bands;
};

/* NULL if instruction set `isa` has no tiles. */
const struct tiles_calls *tiles_find(int isa);

/* Splits samples of one or two bytes. The columns of 64 samples of a plane are in the given order:
 * byte i holds column order[i]; NULL: in their own, as it must be for two bytes. */
swathe_status tiles_shuffle_split(struct arena *arena, int32_t channels, int32_t size,
                                  const uint8_t *order, struct tiles_shuffle *shuffle);
/* `count` planes of samples of `size` bytes. Column i is in byte place[i]; NULL: in its own, or
 * that of tiles_word. */
swathe_status tiles_shuffle_join(struct arena *arena, int32_t count, int32_t size,
                                 const uint8_t *place, struct tiles_shuffle *shuffle);

#endif
