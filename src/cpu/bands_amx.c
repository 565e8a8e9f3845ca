/* Gaussians of u8 on AMX: see cpu/bands.h. */
#include "cpu/bands.h"

#include "cpu/shuffle_avx512.h"

#include <string.h>

struct sums {
    int32_t rows[16][16];
};

#define LOAD(t, from, stride)                                                                      \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t                                               \
                     :                                                                             \
                     : "r"(from), "r"((int64_t)(stride))                                           \
                     : "memory")
#define STORE(t, to)                                                                               \
    __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)"                                           \
                     :                                                                             \
                     : "r"(to), "r"((int64_t)VECTOR)                                               \
                     : "memory")
#define ZERO(t)           __asm__ volatile("tilezero %%tmm" #t : :)
#define MULTIPLY(s, a, b) __asm__ volatile("tdpbuud %%tmm" #b ", %%tmm" #a ", %%tmm" #s : :)

/* ---- Rows ----------------------------------------------------------------------------------- */

static inline void interleave_rows(const __m512i *row, uint8_t *to)
{
    __m512i x = _mm512_unpacklo_epi8(row[0], row[1]), y = _mm512_unpacklo_epi8(row[2], row[3]);
    _mm512_store_si512(to, _mm512_unpacklo_epi16(x, y));
    _mm512_store_si512(to + VECTOR, _mm512_unpackhi_epi16(x, y));
    x = _mm512_unpackhi_epi8(row[0], row[1]), y = _mm512_unpackhi_epi8(row[2], row[3]);
    _mm512_store_si512(to + 2 * VECTOR, _mm512_unpacklo_epi16(x, y));
    _mm512_store_si512(to + 3 * VECTOR, _mm512_unpackhi_epi16(x, y));
}

/* The bytes of a row from `at` on; zeros outside of it. */
static inline __m512i load_part(const uint8_t *row, int64_t at, int64_t bytes)
{
    __mmask64 lanes = first_bytes(bytes - at) & ~first_bytes(-at);
    return _mm512_maskz_loadu_epi8(lanes, row + at);
}

/* A block of all planes, of the pixels from byte `at` of the rows on. */
static inline __attribute__((always_inline)) void
interleave_block(const struct tiles_shuffle *split, int32_t count, bool inside,
                 const uint8_t *const *rows, int64_t bytes, int64_t at, uint8_t *to,
                 int64_t plane_bytes)
{
    __m512i in[4][TILES_PLANES];
    for (int i = 0; i < 4; i++)
        for (int32_t v = 0; v < count; v++)
            in[i][v] = inside ? _mm512_loadu_si512(rows[i] + at + v * VECTOR)
                              : load_part(rows[i], at + v * VECTOR, bytes);
    for (int32_t p = 0; p < count; p++) {
        __m512i row[4];
        for (int i = 0; i < 4; i++)
            row[i] = split_plane(split, count, p, in[i]);
        interleave_rows(row, to + p * plane_bytes);
    }
}

static inline __attribute__((always_inline)) void
interleave_blocks(const struct tiles_shuffle *shuffle, int32_t count, const uint8_t *const *rows,
                  int64_t bytes, int64_t lead, const struct bands_quads *to)
{
    const int64_t group = (int64_t)count * VECTOR, plane_bytes = to->blocks * to->block_bytes;
    int64_t at = -lead * count;
    uint8_t *quads = to->bytes;
    for (int64_t b = 0; b < to->blocks; b++, at += group, quads += to->block_bytes)
        if (at >= 0 && at + group <= bytes)
            interleave_block(shuffle, count, true, rows, bytes, at, quads, plane_bytes);
        else
            interleave_block(shuffle, count, false, rows, bytes, at, quads, plane_bytes);
}

static void bands_amx_interleave(const struct tiles_shuffle *shuffle, const uint8_t *const *rows,
                                 int64_t bytes, int64_t lead, const struct bands_quads *to)
{
    BY_COUNT(interleave_blocks, rows, bytes, lead, to)
}

/* ---- Down ----------------------------------------------------------------------------------- */

static inline uint8_t *middle_tile(const struct bands_middle *middle, int32_t byte, int64_t half,
                                   int64_t block)
{
    return middle->bytes + ((2 * byte + half) * middle->tiles + block) * BANDS_TILE;
}

static inline const uint8_t *taps_tile(const struct bands_taps *taps, int32_t chunk, int32_t part)
{
    return taps->tiles + (2 * chunk + part) * BANDS_TILE;
}

/* Stores rows y … y + 3 of 64 columns as bytes, from sums of a and b of every 16 columns. */
static inline __attribute__((always_inline)) void keep_rows(const struct sums *sums, int32_t shift,
                                                            const struct bands_middle *middle,
                                                            int64_t block, int32_t y)
{
    const __m512i low = _mm512_set1_epi16(255);
    uint8_t *to[2], *half[2];
    for (int i = 0; i < 2; i++) {
        to[i] = middle_tile(middle, i, 0, block);
        half[i] = middle_tile(middle, i, 1, block - 1);
    }
    for (int32_t last = y + 4; y < last; y++) {
        __m512i v[4], byte[2];
        for (int t = 0; t < 4; t++) {
            v[t] = _mm512_add_epi32(_mm512_srai_epi32(_mm512_load_si512(sums[2 * t].rows[y]), 8),
                                    _mm512_load_si512(sums[2 * t + 1].rows[y]));
            v[t] = _mm512_srlv_epi32(v[t], _mm512_set1_epi32(shift));
        }
        __m512i x = _mm512_packus_epi32(v[0], v[1]), z = _mm512_packus_epi32(v[2], v[3]);
        byte[0] = _mm512_ternarylogic_epi32(low, x, _mm512_slli_epi16(z, 8), 0xca);
        byte[1] = _mm512_ternarylogic_epi32(low, _mm512_srli_epi16(x, 8), z, 0xca);
        for (int i = 0; i < 2; i++) {
            _mm512_store_si512(to[i] + y * VECTOR, byte[i]);
            if (block > 0) { /* the second half of the block before and the first of this one */
                __m512i before = _mm512_load_si512(to[i] - BANDS_TILE + y * VECTOR);
                _mm512_store_si512(half[i] + y * VECTOR,
                                   _mm512_shuffle_i64x2(before, byte[i], 0x4e));
            }
        }
    }
}

/* Multiplies 32 columns. What a tile contains beyond its chunk is multiplied by 0. With one chunk,
 * its taps stay in registers 6 and 7. */
static inline __attribute__((always_inline)) void down_products(const struct bands_mask *mask,
                                                                const struct bands_taps *taps,
                                                                bool one, const uint8_t *from,
                                                                const struct sums *start)
{
    LOAD(0, start, VECTOR);
    ZERO(1);
    LOAD(2, start, VECTOR);
    ZERO(3);
    for (int32_t i = 0; i < (one ? 1 : mask->down_chunks);
         i++, from += mask->deep / 4 * BANDS_QUAD) {
        if (!one && !taps->has[i][0] && !taps->has[i][1])
            continue;
        LOAD(4, from, BANDS_QUAD);
        LOAD(5, from + VECTOR, BANDS_QUAD);
        if (one || taps->has[i][0]) {
            if (!one)
                LOAD(6, taps_tile(taps, i, 0), VECTOR);
            MULTIPLY(0, 6, 4);
            MULTIPLY(2, 6, 5);
        }
        if (one || taps->has[i][1]) {
            if (!one)
                LOAD(7, taps_tile(taps, i, 1), VECTOR);
            MULTIPLY(1, 7, 4);
            MULTIPLY(3, 7, 5);
        }
    }
}

static inline void down_store(struct sums *sums)
{
    STORE(0, sums);
    STORE(1, sums + 1);
    STORE(2, sums + 2);
    STORE(3, sums + 3);
}

/* While a block is multiplied, the one before becomes bytes. */
static inline __attribute__((always_inline)) void down_blocks(const struct bands_mask *mask,
                                                              const struct bands_taps *taps,
                                                              bool one, const uint8_t *quads,
                                                              int64_t block_bytes, int64_t blocks,
                                                              const struct bands_middle *middle)
{
    _Alignas(VECTOR) struct sums sums[2][8], start;
    const struct bands_middle to = *middle; /* stores of bytes could change the original */
    const int32_t shift = one ? 0 : mask->down_shift;
    for (int i = 0; i < 16 * 16; i++)
        start.rows[i / 16][i % 16] = mask->down_start;
    if (one) {
        LOAD(6, taps_tile(taps, 0, 0), VECTOR);
        LOAD(7, taps_tile(taps, 0, 1), VECTOR);
    }
    for (int64_t b = 0; b <= blocks; b++)
        for (int32_t half = 0; half < 2; half++) {
            if (b < blocks)
                down_products(mask, taps, one, quads + b * block_bytes + half * 2 * VECTOR, &start);
            if (b > 0) {
                keep_rows(sums[(b - 1) % 2], shift, &to, b - 1, 8 * half);
                keep_rows(sums[(b - 1) % 2], shift, &to, b - 1, 8 * half + 4);
            }
            if (b < blocks)
                down_store(sums[b % 2] + 4 * half);
        }
}

static void bands_amx_down(const struct bands_mask *mask, int32_t turn, const uint8_t *quads,
                           int64_t block_bytes, int64_t blocks, const struct bands_middle *middle)
{
    const struct bands_taps *taps = &mask->down[turn];
    if (mask->down_chunks == 1)
        down_blocks(mask, taps, true, quads, block_bytes, blocks, middle);
    else
        down_blocks(mask, taps, false, quads, block_bytes, blocks, middle);
    for (int32_t i = 0; i < 2; i++) /* the rest of the last tile has no samples */
        for (int32_t y = 0; y < BANDS_ROWS; y++)
            memcpy(middle_tile(middle, i, 1, blocks - 1) + y * VECTOR,
                   middle_tile(middle, i, 0, blocks - 1) + y * VECTOR + 32, 32);
}

/* ---- Across --------------------------------------------------------------------------------- */

/* sum + 256·high, where high is below 2^15. This is inline assembly, because compilers copy the
 * sums before and after the intrinsic. */
static inline __m512i add_high(__m512i sum, const int32_t *high)
{
    __asm__("vpdpwssd %2, %1, %0"
            : "+v"(sum)
            : "v"(_mm512_set1_epi32(256)), "m"(*(const __m512i *)(const void *)high));
    return sum;
}

/* Stores rows y … y + 3 of 64 results, from sums of weight 1, 256 and 65536 of every 16 columns.
 * The sums of weight 1 are shifted by 8 first; a result is eight bits of the total from `shift` on.
 */
static inline void bands_amx_finish_rows(const struct sums *sums, int32_t shift, int32_t y,
                                         uint8_t *to, int64_t row_bytes)
{
    const __m512i bits = _mm512_set1_epi16((int16_t)(shift | (32 + shift) << 8)); /* of 64 */
    for (int32_t last = y + 4; y < last; y++) {
        __m512i bytes = _mm512_setzero_si512();
        for (int t = 0; t < 4; t++) {
            const struct sums *s = sums + 3 * t;
            __m512i v = _mm512_add_epi32(_mm512_srai_epi32(_mm512_load_si512(s[0].rows[y]), 8),
                                         _mm512_load_si512(s[1].rows[y]));
            v = add_high(v, s[2].rows[y]);
            bytes = _mm512_mask_multishift_epi64_epi8(bytes, UINT64_C(0x0303030303030303) << 2 * t,
                                                      bits, v);
        }
        _mm512_storeu_si512(to + y * row_bytes, bytes);
    }
}

/* Multiplies 16 columns: tiles of low and high bytes with taps, sums in registers S, T, U. */
#define ACROSS_PRODUCTS(S, T, U)                                                                   \
    ZERO(S);                                                                                       \
    ZERO(T);                                                                                       \
    ZERO(U);                                                                                       \
    for (int32_t i = 0; i < mask->across_chunks; i++) {                                            \
        if (!taps->has[i][0])                                                                      \
            continue;                                                                              \
        LOAD(6, low + i * BANDS_TILE, VECTOR);                                                     \
        LOAD(7, taps_tile(taps, i, 0), VECTOR);                                                    \
        MULTIPLY(S, 6, 7);                                                                         \
        if (taps->has[i][1]) {                                                                     \
            LOAD(7, taps_tile(taps, i, 1), VECTOR);                                                \
            MULTIPLY(T, 6, 7);                                                                     \
            LOAD(6, high + i * BANDS_TILE, VECTOR);                                                \
            MULTIPLY(U, 6, 7);                                                                     \
            LOAD(7, taps_tile(taps, i, 0), VECTOR);                                                \
        } else                                                                                     \
            LOAD(6, high + i * BANDS_TILE, VECTOR);                                                \
        MULTIPLY(T, 6, 7);                                                                         \
    }

/* A step multiplies 16 columns and stores the sums of the step before: a tile that is stored right
 * after its last product waits for it. Four steps make a block, whose rows are finished four at a
 * time, starting a step after its last sums are stored. */
#define ACROSS_STEP(S, T, U, beforeS, beforeT, beforeU)                                            \
    if (n < steps) {                                                                               \
        const struct bands_taps *taps = &mask->across[n % 2];                                      \
        const uint8_t *low = middle_tile(middle, 0, n / 2 % 2, n / 4);                             \
        const uint8_t *high = middle_tile(middle, 1, n / 2 % 2, n / 4);                            \
        ACROSS_PRODUCTS(S, T, U)                                                                   \
    }                                                                                              \
    if (n >= LAG)                                                                                  \
        bands_amx_finish_rows(sums[(n - LAG) / 4 % 2], mask->across_shift,                         \
                              (int32_t)((n - LAG) % 4) * 4, results + (n - LAG) / 4 * block_bytes, \
                              row_bytes);                                                          \
    if (n > 0 && n <= steps) {                                                                     \
        struct sums *to = sums[(n - 1) / 4 % 2] + (n - 1) % 4 * 3;                                 \
        STORE(beforeS, to);                                                                        \
        STORE(beforeT, to + 1);                                                                    \
        STORE(beforeU, to + 2);                                                                    \
    }

/* Prefetches the next lines of rows: most rows of a band before the last step of its last plane. */
static inline void prefetch_lines(struct bands_ahead *ahead)
{
    enum { LINES = 8 };
    if (ahead->row == ahead->rows)
        return;
    for (int64_t i = ahead->at; i < ahead->at + LINES * VECTOR; i += VECTOR) {
        if (ahead->in)
            _mm_prefetch((const char *)ahead->in[ahead->row] + i, _MM_HINT_T1);
        if (ahead->out)
            _mm_prefetch((const char *)ahead->out[ahead->row] + i, _MM_HINT_T1);
    }
    ahead->at += LINES * VECTOR;
    if (ahead->at >= ahead->bytes) {
        ahead->at = 0;
        ahead->row++;
    }
}

static void bands_amx_across(const struct bands_mask *mask, const struct bands_middle *middle,
                             int64_t blocks, uint8_t *results, int64_t row_bytes,
                             int64_t block_bytes, struct bands_ahead *ahead)
{
    enum { LAG = 5 };
    _Alignas(VECTOR) struct sums sums[2][12];
    const int64_t steps = 4 * blocks;
    for (int64_t n = 0; n < steps + LAG; n++) {
        prefetch_lines(ahead);
        ACROSS_STEP(0, 1, 2, 3, 4, 5)
        if (++n == steps + LAG)
            break;
        ACROSS_STEP(3, 4, 5, 0, 1, 2)
    }
}

const struct bands_calls bands_amx = {bands_amx_interleave, bands_amx_down, bands_amx_across};
