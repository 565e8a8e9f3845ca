/* 16-byte vectors of x86 with SSE4.1. No fused multiply-add, so no exact float kernel. */
#include <smmintrin.h>
#include <string.h>

#define X(op)            _mm_##op
#define KEEP_IN(v)       "+x"(v)
#define HAVE_FMA         0
#define NARROW_LANES     16
#define PAIR_LANES       8
#define WIDE_LANES       2
#define FLOAT_LANES      4
#define LONG_LANES       4
#define MULTIROW_PAIRS   1
#define U8_PAIRS         2
#define MULTIROW_VECTORS 3
#define FLOAT_HEIGHT     4
#define FLOAT_VECTORS    2
#define LOW_VECTORS      2
#define PASSES_VECTORS   2
#define SMALL_VECTORS    2
#define PAIRED_SUMS      2 /* see paired_body.h */
#define TAP_LANES        4

typedef __m128i vi;
typedef __m128d vd;
typedef __m128 vf;

static inline vi vi_load(const void *p)
{
    return _mm_loadu_si128(p);
}

static inline void vi_store(void *p, vi v)
{
    _mm_storeu_si128(p, v);
}

static inline void vi_store_half(void *p, vi v)
{
    _mm_storel_epi64(p, v);
}

static inline void vi_store_upper_half(void *p, vi v)
{
    _mm_storeh_pd(p, _mm_castsi128_pd(v));
}

static inline void vi_stream(void *p, vi v)
{
    _mm_stream_si128(p, v);
}

static inline vi vi_xor(vi a, vi b)
{
    return _mm_xor_si128(a, b);
}

static inline vi vi_and(vi a, vi b)
{
    return _mm_and_si128(a, b);
}

static inline vi vi_or(vi a, vi b)
{
    return _mm_or_si128(a, b);
}

static inline vi vi_sra16(vi v, int32_t shift)
{
    return _mm_sra_epi16(v, _mm_cvtsi32_si128(shift));
}

static inline vi vi_sra32(vi v, int32_t shift)
{
    return _mm_sra_epi32(v, _mm_cvtsi32_si128(shift));
}

static inline vi vi_srl16(vi v, int32_t shift)
{
    return _mm_srl_epi16(v, _mm_cvtsi32_si128(shift));
}

static inline void store_half(vi v, uint8_t *p)
{
    _mm_storel_epi64((__m128i *)p, _mm_packus_epi16(v, v));
}

static inline void store_shorts(vi a, vi b, void *p)
{
    _mm_storeu_si128((__m128i *)p, a);
    _mm_storeu_si128((__m128i *)p + 1, b);
}

static inline vi order_bytes(vi v)
{
    return v;
}

static inline vi vs_load_u8(const uint8_t *p)
{
    return _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)p));
}

static inline void vl_join_u8(const uint8_t *a, const uint8_t *b, int32_t *to)
{
    __m128i v =
        _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)a), _mm_loadl_epi64((const __m128i *)b));
    vi_store(to, _mm_cvtepu8_epi16(v));
    vi_store(to + 4, _mm_unpackhi_epi8(v, _mm_setzero_si128()));
}

static inline vf vf_near_rsqrt(vf v)
{
    return _mm_rsqrt_ps(v);
}

static inline vd vd_load_u8(const uint8_t *p)
{
    uint16_t two;
    memcpy(&two, p, sizeof two);
    return _mm_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(two)));
}

static inline vd vd_load_u16(const uint16_t *p)
{
    int32_t two;
    memcpy(&two, p, sizeof two);
    return _mm_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_cvtsi32_si128(two)));
}

static inline vd vd_load_s16(const int16_t *p)
{
    int32_t two;
    memcpy(&two, p, sizeof two);
    return _mm_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_cvtsi32_si128(two)));
}

static inline void vd_store_s32(int32_t *p, vd v)
{
    _mm_storel_epi64((__m128i *)p, _mm_cvttpd_epi32(v));
}

static inline vi order_quads(vi v)
{
    return v;
}

static inline vi odd_lanes(vi a, vi b)
{
    return _mm_blend_epi16(a, b, 0xcc);
}

static inline vi vl_change_s16(const int16_t *a, const int16_t *b)
{
    return _mm_cvtepi16_epi32(
        _mm_sub_epi16(_mm_loadl_epi64((const __m128i *)a), _mm_loadl_epi64((const __m128i *)b)));
}

typedef __m128i vl_index; /* of bytes; from 128 on: 0 */

static inline vl_index vl_index_set(const int32_t *from)
{
    int8_t bytes[16];
    for (int b = 0; b < 16; b++)
        bytes[b] = (int8_t)(from[b / 4] < 0 ? -1 : 4 * from[b / 4] + b % 4);
    return _mm_loadu_si128((const __m128i *)bytes);
}

static inline vi vl_pick(vi v, vl_index at)
{
    return _mm_shuffle_epi8(v, at);
}
#define vl_pick_all vl_pick

#include "cpu/vec_x86.h"
