/* Tiles on AMX: 8 registers of 16 × 64 bytes, 16,384 multiply-adds per instruction. */
#include "cpu/tiles.h"

#include "cpu/shuffle_avx512.h"

extern const struct tiles_calls tiles_amx;

struct config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

static void tiles_amx_begin(void)
{
    struct config config = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        config.row_bytes[i] = VECTOR;
        config.rows[i] = TILES_LINES;
    }
    __asm__ volatile("ldtilecfg %0" : : "m"(config));
}

static void tiles_amx_end(void)
{
    _tile_release();
}

/* ---- Pixels and planes ---------------------------------------------------------------------- */

/* All output vectors of a join. */
static inline void join_planes(const struct tiles_shuffle *shuffle, int32_t count, __m512i *in,
                               __m512i *out)
{
    for (int32_t p = 0; shuffle->once && p < count; p++)
        in[p] = _mm512_permutexvar_epi8(_mm512_loadu_si512(shuffle->once + p * VECTOR), in[p]);
    for (int32_t v = 0; v < count; v++) {
        if (!shuffle->once) {
            out[v] = gather(shuffle, count, v, in);
            continue;
        }
        out[v] = in[0];
        for (int32_t p = 1; p < count; p++)
            out[v] = _mm512_mask_mov_epi8(out[v], shuffle->from[v * count + p], in[p]);
    }
}

static inline void put_plane(const struct tiles_shuffle *shuffle, int32_t plane, __m512i v,
                             uint8_t *to)
{
    __m512i flip = _mm512_set1_epi8((char)(shuffle->flipped >> plane & 1 ? 0x80 : 0));
    _mm512_storeu_si512(to, _mm512_xor_si512(v, flip));
}

/* Inlined always: with `count` and `size` as constants, vectors stay in registers. */
#define INLINE static inline __attribute__((always_inline))

/* Splits as many vectors of pixels as a pixel has bytes, `bytes` in total. */
INLINE void split_group(const struct tiles_shuffle *shuffle, int32_t count, int32_t size,
                        const uint8_t *pixels, int64_t bytes, uint8_t *planes, int64_t plane_bytes)
{
    __m512i in[TILES_PLANES];
    for (int32_t v = 0; v < count * size; v++)
        in[v] = bytes >= (int64_t)count * size * VECTOR
                    ? _mm512_loadu_si512(pixels + v * VECTOR)
                    : _mm512_maskz_loadu_epi8(first_bytes(bytes - v * VECTOR), pixels + v * VECTOR);
    for (int32_t c = 0; c < count; c++, planes += size * plane_bytes) {
        __m512i a = split_plane(shuffle, count, c, in);
        if (size == 1) {
            put_plane(shuffle, c, a, planes);
            continue;
        }
        __m512i b = split_plane(shuffle, count, c, in + count);
        put_plane(shuffle, 2 * c, _mm512_shuffle_i64x2(a, b, 0x44), planes);
        put_plane(shuffle, 2 * c + 1, _mm512_shuffle_i64x2(a, b, 0xee), planes + plane_bytes);
    }
}

INLINE void split_row(const struct tiles_shuffle *shuffle, int32_t count, int32_t size,
                      const uint8_t *pixels, int64_t bytes, uint8_t *planes, int64_t plane_bytes)
{
    int64_t group = (int64_t)count * size * VECTOR;
    for (; bytes >= group; bytes -= group, pixels += group, planes += VECTOR)
        split_group(shuffle, count, size, pixels, group, planes, plane_bytes);
    if (bytes > 0)
        split_group(shuffle, count, size, pixels, bytes, planes, plane_bytes);
}

static inline void join_rows(const struct tiles_shuffle *shuffle, int32_t count,
                             const uint8_t *planes, int64_t rows, void *const *pixels,
                             int64_t offset, int64_t bytes)
{
    const int32_t size = shuffle->size;
    for (int64_t r = 0; r < rows; r++, planes += (int64_t)count * size * VECTOR)
        for (int32_t part = 0; part < size; part++) {
            __m512i in[TILES_PLANES], out[TILES_PLANES];
            int64_t before = (int64_t)part * count * VECTOR;
            uint8_t *to = (uint8_t *)pixels[r] + offset + before;
            for (int32_t p = 0; p < count; p++)
                in[p] = _mm512_loadu_si512(planes + (p * size + part) * VECTOR);
            join_planes(shuffle, count, in, out);
            for (int32_t v = 0; v < count; v++)
                if (bytes - before >= (int64_t)count * VECTOR)
                    _mm512_storeu_si512(to + v * VECTOR, out[v]);
                else
                    _mm512_mask_storeu_epi8(to + v * VECTOR,
                                            first_bytes(bytes - before - v * VECTOR), out[v]);
        }
}

static void tiles_amx_split(const struct tiles_shuffle *shuffle, const uint8_t *pixels,
                            int64_t bytes, uint8_t *planes, int64_t plane_bytes)
{
    if (shuffle->size == 1)
        BY_COUNT(split_row, 1, pixels, bytes, planes, plane_bytes)
    else
        BY_COUNT(split_row, 2, pixels, bytes, planes, plane_bytes)
}

static void tiles_amx_join(const struct tiles_shuffle *shuffle, const uint8_t *planes, int64_t rows,
                           void *const *pixels, int64_t offset, int64_t bytes)
{
    BY_COUNT(join_rows, planes, rows, pixels, offset, bytes)
}

static void tiles_amx_spread(const uint8_t *row, int64_t row_bytes, int64_t rows, int64_t row_lines,
                             uint8_t *to)
{
    for (int64_t r = 0; r < rows; r++, row += row_bytes)
        for (int64_t c = 0; c < row_lines; c++, to += VECTOR)
            _mm512_storeu_si512(to, _mm512_loadu_si512(row + c * TILES_STEP));
}

/* ---- Results -------------------------------------------------------------------------------- */

/* Sums of one patch and class. */
struct tile {
    int32_t rows[16][16];
};

/* Computes 16 results before clamping, Σ·2^-shift over a row of tiles. Values that a clamp would
 * change anyway may be saturated. The part of a class above its byte is carried into the next
 * class. */
static inline __m512i combine_classes(const struct tiles_mask *mask, const struct tile *sums,
                                      int32_t classes, int32_t row)
{
    __m512i top = _mm512_setzero_si512(), low = top;
    int32_t shift = mask->shift, above = shift - 8 * (classes - 1);
    for (int32_t i = 0; i < classes; i++) {
        if (above < 0 && i > 0) {
            __m512i byte = _mm512_and_si512(top, _mm512_set1_epi32(255));
            low = _mm512_or_si512(low, _mm512_sllv_epi32(byte, _mm512_set1_epi32(8 * (i - 1))));
        }
        __m512i sum = _mm512_add_epi32(_mm512_loadu_si512(sums[i].rows[row]),
                                       _mm512_set1_epi32(mask->add[i]));
        top = _mm512_add_epi32(sum, _mm512_srai_epi32(top, 8));
    }
    if (above >= 0)
        return _mm512_srav_epi32(top, _mm512_set1_epi32(above));
    /* Results are within 2^17, so larger values may be reduced to that; then the upper part, at
     * most 2^17 + 2^24, fits 32 bits. */
    __m512i most = _mm512_set1_epi32(((1 << 17) >> -above) + 1);
    top = _mm512_min_epi32(top, most);
    top = _mm512_max_epi32(top, _mm512_sub_epi32(_mm512_setzero_si512(), most));
    return _mm512_or_si512(_mm512_sllv_epi32(top, _mm512_set1_epi32(-above)),
                           _mm512_srlv_epi32(low, _mm512_set1_epi32(shift)));
}

/* Reorders the bytes of 4 packed vectors to the order of columns. */
static inline __m512i tiles_amx_in_order(__m512i packed)
{
    return _mm512_shuffle_epi8(packed, _mm512_broadcast_i32x4(_mm_setr_epi8(
                                           0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)));
}

static inline void put_u8(const struct tiles_column *column, const __m512i *v, uint8_t *to)
{
    __m512i all = _mm512_packus_epi16(_mm512_packs_epi32(v[0], v[1]), //
                                      _mm512_packs_epi32(v[2], v[3]));
    all = _mm512_max_epu8(all, _mm512_set1_epi8((char)column->low));
    all = _mm512_min_epu8(all, _mm512_set1_epi8((char)column->high));
    _mm512_storeu_si512(to, tiles_amx_in_order(all));
}

/* Stores 16-bit results, clamped, in the order of tiles_word. */
static inline void put_words(__m512i a, __m512i b, uint8_t *to)
{
    _mm512_storeu_si512(to, _mm512_shuffle_i64x2(a, b, 0x44));
    _mm512_storeu_si512(to + VECTOR, _mm512_shuffle_i64x2(a, b, 0xee));
}

static inline void put_u16(const struct tiles_column *column, const __m512i *v, uint8_t *to)
{
    __m512i low = _mm512_set1_epi16((short)column->low);
    __m512i high = _mm512_set1_epi16((short)column->high);
    __m512i a = _mm512_packus_epi32(v[0], v[1]), b = _mm512_packus_epi32(v[2], v[3]);
    put_words(_mm512_min_epu16(_mm512_max_epu16(a, low), high),
              _mm512_min_epu16(_mm512_max_epu16(b, low), high), to);
}

static inline void put_s16(const struct tiles_column *column, const __m512i *v, uint8_t *to)
{
    __m512i low = _mm512_set1_epi16((short)column->low);
    __m512i high = _mm512_set1_epi16((short)column->high);
    __m512i a = _mm512_packs_epi32(v[0], v[1]), b = _mm512_packs_epi32(v[2], v[3]);
    put_words(_mm512_min_epi16(_mm512_max_epi16(a, low), high),
              _mm512_min_epi16(_mm512_max_epi16(b, low), high), to);
}

/* Rows of results whose sums are complete, `classes` tiles per patch. */
struct rows {
    const struct tiles_column *column;
    const struct tile *sums;
    uint8_t *results;
    int32_t next, count;
};

/* Finishes the next rows, up to `last`. */
static inline void tiles_amx_finish_rows(struct rows *rows, int32_t classes, int32_t last)
{
    const struct tiles_column *column = rows->column;
    for (; rows->next < last; rows->next++, rows->results += column->row_bytes) {
        const struct tile *sums = rows->sums + rows->next / TILES_ROWS * classes;
        int32_t row = rows->next % TILES_ROWS * TILES_STEP;
        __m512i v[TILES_STEP];
        for (int32_t i = 0; i < TILES_STEP; i++)
            v[i] = combine_classes(column->mask, sums, classes, row + i);
        if (column->type == SWATHE_U8)
            put_u8(column, v, rows->results);
        else if (column->type == SWATHE_U16)
            put_u16(column, v, rows->results);
        else
            put_s16(column, v, rows->results);
    }
}

/* ---- Products ------------------------------------------------------------------------------ */

/* Computes the products of a few patches of one column, and finishes the results of the patches
 * before. */
struct step {
    const struct tiles_mask *mask;
    const uint8_t *lines[TILES_HALVES]; /* of the first patch */
    int64_t patch_bytes;                /* bytes from one patch's lines to the next patch's */
    struct tile *sums;                  /* classes of the first patch, then of the next */
    struct rows before;
    int32_t finish_per_chunk; /* number of rows */
};

/* The compilers' own intrinsics do not declare that tile loads read memory. */
#define COMPILER_BARRIER() __asm__ volatile("" : : : "memory")

/* Registers 0 to 3 hold sums, 4 and 5 lines, 6 and 7 parts of the mask. */
static inline void clear_sums(void)
{
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
}

static inline void store_sums(struct tile *to)
{
    _tile_stored(0, to[0].rows, VECTOR);
    _tile_stored(1, to[1].rows, VECTOR);
    _tile_stored(2, to[2].rows, VECTOR);
    _tile_stored(3, to[3].rows, VECTOR);
}

static inline const uint8_t *lines_at(const struct step *step, int32_t half, int32_t patch,
                                      int32_t chunk)
{
    return step->lines[half] + (int64_t)step->mask->chunk_line[chunk] * VECTOR +
           patch * step->patch_bytes;
}

static inline const int8_t *tiles_amx_piece_at(const struct step *step, int32_t piece,
                                               int32_t chunk)
{
    const struct tiles_mask *mask = step->mask;
    return mask->tiles + ((int64_t)chunk * mask->pieces + piece) * TILES_BYTES;
}

static inline void finish_some_rows(struct step *step, int32_t classes)
{
    int32_t last = step->before.next + step->finish_per_chunk;
    tiles_amx_finish_rows(&step->before, classes,
                          last < step->before.count ? last : step->before.count);
}

#define LINES(register, half, patch) _tile_loadd(register, lines_at(step, half, patch, i), VECTOR)
#define PIECE(register, piece)       _tile_loadd(register, tiles_amx_piece_at(step, piece, i), VECTOR)

/* The common part of all variants: `products` multiplies chunk i; in between, rows of the patches
 * before, which have `classes` tiles of sums, are finished. */
#define DEFINE_MULTIPLY(name, classes, products)                                                   \
    static void name(struct step *step)                                                            \
    {                                                                                              \
        clear_sums();                                                                              \
        for (int32_t i = 0; i < step->mask->chunk_count; i++) {                                    \
            products;                                                                              \
            finish_some_rows(step, classes);                                                       \
        }                                                                                          \
        tiles_amx_finish_rows(&step->before, classes, step->before.count);                         \
        store_sums(step->sums);                                                                    \
    }

/* Samples in one or two halves, then taps in pieces. u8, one piece: four patches */
#define PRODUCTS_1_1                                                                               \
    PIECE(6, 0);                                                                                   \
    LINES(4, 0, 0);                                                                                \
    _tile_dpbsud(0, 6, 4);                                                                         \
    LINES(5, 0, 1);                                                                                \
    _tile_dpbsud(1, 6, 5);                                                                         \
    LINES(4, 0, 2);                                                                                \
    _tile_dpbsud(2, 6, 4);                                                                         \
    LINES(5, 0, 3);                                                                                \
    _tile_dpbsud(3, 6, 5)

/* u8, two pieces: two patches */
#define PRODUCTS_1_2                                                                               \
    LINES(4, 0, 0);                                                                                \
    PIECE(6, 0);                                                                                   \
    _tile_dpbsud(0, 6, 4);                                                                         \
    PIECE(7, 1);                                                                                   \
    _tile_dpbsud(1, 7, 4);                                                                         \
    LINES(5, 0, 1);                                                                                \
    _tile_dpbsud(2, 6, 5);                                                                         \
    _tile_dpbsud(3, 7, 5)

/* 16-bit samples, one piece: two patches */
#define PRODUCTS_2_1                                                                               \
    PIECE(6, 0);                                                                                   \
    LINES(4, 0, 0);                                                                                \
    _tile_dpbsud(0, 6, 4);                                                                         \
    LINES(5, 1, 0);                                                                                \
    _tile_dpbsud(1, 6, 5);                                                                         \
    LINES(4, 0, 1);                                                                                \
    _tile_dpbsud(2, 6, 4);                                                                         \
    LINES(5, 1, 1);                                                                                \
    _tile_dpbsud(3, 6, 5)

/* 16-bit samples, two pieces: one patch. A product takes as long as three others start after it, so
 * the two that add to the same sums are as far apart as possible. */
#define PRODUCTS_2_2                                                                               \
    LINES(5, 1, 0);                                                                                \
    PIECE(6, 0);                                                                                   \
    _tile_dpbsud(1, 6, 5);                                                                         \
    PIECE(7, 1);                                                                                   \
    _tile_dpbsud(2, 7, 5);                                                                         \
    LINES(4, 0, 0);                                                                                \
    _tile_dpbsud(0, 6, 4);                                                                         \
    _tile_dpbsud(1, 7, 4)

/* … and with a third piece, which shares the register of the first */
#define PRODUCTS_2_3                                                                               \
    PRODUCTS_2_2;                                                                                  \
    PIECE(6, 2);                                                                                   \
    _tile_dpbsud(2, 6, 4);                                                                         \
    _tile_dpbsud(3, 6, 5)

DEFINE_MULTIPLY(multiply_1_1, 1, PRODUCTS_1_1)
DEFINE_MULTIPLY(multiply_1_2, 2, PRODUCTS_1_2)
DEFINE_MULTIPLY(multiply_2_1, 2, PRODUCTS_2_1)
DEFINE_MULTIPLY(multiply_2_2, 3, PRODUCTS_2_2)
DEFINE_MULTIPLY(multiply_2_3, 4, PRODUCTS_2_3)

static void tiles_amx_multiply(struct step *step)
{
    static void (*const by[TILES_HALVES][TILES_PIECES])(struct step *) = {
        {multiply_1_1, multiply_1_2, NULL}, {multiply_2_1, multiply_2_2, multiply_2_3}};
    COMPILER_BARRIER();
    by[step->mask->halves - 1][step->mask->pieces - 1](step);
    COMPILER_BARRIER();
}

static void finish_last(struct step *step, int32_t classes)
{
    if (classes == 1)
        tiles_amx_finish_rows(&step->before, 1, step->before.count);
    else if (classes == 2)
        tiles_amx_finish_rows(&step->before, 2, step->before.count);
    else if (classes == 3)
        tiles_amx_finish_rows(&step->before, 3, step->before.count);
    else
        tiles_amx_finish_rows(&step->before, 4, step->before.count);
}

static void tiles_amx_sum(const struct tiles_column *column)
{
    _Alignas(VECTOR) struct tile sums[2][4];
    const struct tiles_mask *mask = column->mask;
    int32_t at_once = tiles_at_once(mask), rows = at_once * TILES_ROWS;
    struct step step = {.mask = mask, .patch_bytes = column->patch_lines * VECTOR};
    step.finish_per_chunk =
        (rows + mask->chunk_count / 2) / (mask->chunk_count > 0 ? mask->chunk_count : 1);
    step.finish_per_chunk = step.finish_per_chunk > 0 ? step.finish_per_chunk : 1;
    for (int32_t patch = 0; patch < column->patches; patch += at_once) {
        step.sums = sums[patch / at_once % 2];
        for (int32_t h = 0; h < mask->halves; h++)
            step.lines[h] = column->lines[h] + patch * step.patch_bytes;
        tiles_amx_multiply(&step);
        step.before = (struct rows){.column = column,
                                    .sums = step.sums,
                                    .results = column->results +
                                               (int64_t)patch * TILES_ROWS * column->row_bytes,
                                    .count = rows};
    }
    finish_last(&step, tiles_classes(mask));
}

const struct tiles_calls tiles_amx = {tiles_amx_begin, tiles_amx_end,    tiles_amx_split,
                                      tiles_amx_join,  tiles_amx_spread, tiles_amx_sum,
                                      &bands_amx};
