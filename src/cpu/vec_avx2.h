/* 32-byte vectors of x86 with AVX2 and FMA. */
#include <immintrin.h>
#include <string.h>

#define X(op)            _mm256_##op
#define KEEP_IN(v)       "+x"(v)
#define HAVE_FMA         1
#define NARROW_LANES     32
#define PAIR_LANES       16
#define WIDE_LANES       4
#define FLOAT_LANES      8
#define LONG_LANES       8
#define MULTIROW_PAIRS   1
#define U8_PAIRS         2
#define MULTIROW_VECTORS 3
#define FLOAT_HEIGHT     4
#define FLOAT_VECTORS    3
#define LOW_VECTORS      3
#define PASSES_VECTORS   2
#define SMALL_VECTORS    2
#define PAIRED_SUMS      2 /* see paired_body.h */
#define TAP_LANES        8

typedef __m256i vi;
typedef __m256d vd;
typedef __m256 vf;

static inline vi vi_load(const void *p)
{
    return _mm256_loadu_si256(p);
}

static inline void vi_store(void *p, vi v)
{
    _mm256_storeu_si256(p, v);
}

static inline void vi_store_half(void *p, vi v)
{
    _mm_storeu_si128(p, _mm256_castsi256_si128(v));
}

static inline void vi_store_upper_half(void *p, vi v)
{
    _mm_storeu_si128(p, _mm256_extracti128_si256(v, 1));
}

static inline void vi_stream(void *p, vi v)
{
    _mm256_stream_si256(p, v);
}

static inline vi vi_xor(vi a, vi b)
{
    return _mm256_xor_si256(a, b);
}

static inline vi vi_and(vi a, vi b)
{
    return _mm256_and_si256(a, b);
}

static inline vi vi_or(vi a, vi b)
{
    return _mm256_or_si256(a, b);
}

static inline vi vi_sra16(vi v, int32_t shift)
{
    return _mm256_sra_epi16(v, _mm_cvtsi32_si128(shift));
}

/* Shifts by a vector of counts: one instruction instead of two, except on Haswell. */
static inline vi vi_sra32(vi v, int32_t shift)
{
    return _mm256_srav_epi32(v, _mm256_set1_epi32(shift));
}

static inline vi vi_srl16(vi v, int32_t shift)
{
    return _mm256_srl_epi16(v, _mm_cvtsi32_si128(shift));
}

static inline void store_half(vi v, uint8_t *p)
{
    _mm_storeu_si128((__m128i *)p,
                     _mm_packus_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)));
}

static inline void store_shorts(vi a, vi b, void *p)
{
    _mm256_storeu_si256((__m256i *)p, _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256((__m256i *)p + 1, _mm256_permute2x128_si256(a, b, 0x31));
}

static inline vi order_bytes(vi v)
{
    return _mm256_permute4x64_epi64(v, 0xd8);
}

static inline vi vs_load_u8(const uint8_t *p)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
}

#if !HAVE_DOT_ADD
#define HAVE_PAIR_PRODUCTS 1
/* With taps in memory: compilers would load them to registers first, of which there are too few. */
static inline vi pair_products(vi both, const int32_t *taps)
{
    vi products;
    __asm__("vpmaddwd %2, %1, %0"
            : "=x"(products)
            : "x"(both), "m"(*(const vi *)(const void *)taps));
    return products;
}
#endif

static inline void vl_join_u8(const uint8_t *a, const uint8_t *b, int32_t *to)
{
    __m128i x = _mm_loadu_si128((const __m128i *)a), y = _mm_loadu_si128((const __m128i *)b);
    vi_store(to, _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(x, y)));
    vi_store(to + 8, _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(x, y)));
}

static inline vf vf_near_rsqrt(vf v)
{
    return _mm256_rsqrt_ps(v);
}

static inline vf vf_load_u8(const uint8_t *p)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p)));
}

static inline vf vf_load_u16(const uint16_t *p)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p)));
}

static inline vf vf_load_s16(const int16_t *p)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p)));
}

static inline vd vd_load_u8(const uint8_t *p)
{
    int32_t four;
    memcpy(&four, p, sizeof four);
    return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four)));
}

static inline vd vd_load_u16(const uint16_t *p)
{
    return _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)p)));
}

static inline vd vd_load_s16(const int16_t *p)
{
    return _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)p)));
}

static inline void vd_store_s32(int32_t *p, vd v)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvttpd_epi32(v));
}

static inline vd vd_load_f32(const float *p)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
}

static inline void vd_store_f32(float *p, vd v)
{
    _mm_storeu_ps(p, _mm256_cvtpd_ps(v));
}

/* Without the caches; the other vectors of the cache line follow. */
static inline void vd_stream_f32(float *p, vd v)
{
    _mm_stream_ps(p, _mm256_cvtpd_ps(v));
}

static inline vd vd_round_f32(vd v)
{
    return _mm256_cvtps_pd(_mm256_cvtpd_ps(v));
}

typedef __m256d vd_where; /* all bits of a lane, or none */

static inline vd_where vd_is_number(vd v)
{
    return _mm256_cmp_pd(v, v, _CMP_ORD_Q);
}

static inline vd_where vd_differs(vd a, vd b)
{
    return _mm256_cmp_pd(a, b, _CMP_NEQ_UQ);
}

static inline vd_where vd_equals(vd a, vd b)
{
    return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}

static inline vd_where vd_where_all(void)
{
    return _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
}

static inline vd_where vd_where_both(vd_where a, vd_where b)
{
    return _mm256_and_pd(a, b);
}

static inline bool vd_is_everywhere(vd_where where)
{
    return _mm256_movemask_pd(where) == 0xf;
}

/* Is |a| at least b? */
static inline vd_where vd_reaches(vd a, vd b)
{
    return _mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), a), b, _CMP_GE_OQ);
}

static inline vd vd_select(vd_where where, vd a, vd b)
{
    return _mm256_blendv_pd(b, a, where);
}

static inline vd vd_fma_where(vd acc, vd a, vd b, vd_where where)
{
    return _mm256_fmadd_pd(a, _mm256_and_pd(b, where), acc);
}

static inline vd vd_add_where(vd acc, vd a, vd_where where)
{
    return _mm256_add_pd(acc, _mm256_and_pd(a, where));
}

static inline vi order_quads(vi v)
{
    return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

static inline vi odd_lanes(vi a, vi b)
{
    return _mm256_blend_epi32(a, b, 0xaa);
}

static inline vi vl_change_s16(const int16_t *a, const int16_t *b)
{
    return _mm256_cvtepi16_epi32(
        _mm_sub_epi16(_mm_loadu_si128((const __m128i *)a), _mm_loadu_si128((const __m128i *)b)));
}

typedef struct {
    __m256i from, keep;
} vl_index;

static inline vl_index vl_index_set(const int32_t *from)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)from);
    return (vl_index){v, _mm256_cmpgt_epi32(v, _mm256_set1_epi32(-1))};
}

static inline vi vl_pick(vi v, vl_index at)
{
    return _mm256_and_si256(_mm256_permutevar8x32_epi32(v, at.from), at.keep);
}

static inline vi vl_pick_all(vi v, vl_index at)
{
    return _mm256_permutevar8x32_epi32(v, at.from);
}

#include "cpu/vec_x86.h"
