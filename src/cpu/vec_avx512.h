/* 64-byte vectors of x86 with AVX-512 F, BW, DQ and VL. */
#include <immintrin.h>

#define X(op)            _mm512_##op
#define KEEP_IN(v)       "+v"(v)
#define HAVE_FMA         1
#define NARROW_LANES     64
#define PAIR_LANES       32
#define WIDE_LANES       8
#define FLOAT_LANES      16
#define LONG_LANES       16
#define MULTIROW_PAIRS   2
#define U8_PAIRS         4
#define MULTIROW_VECTORS 4
#define FLOAT_HEIGHT     8
#define FLOAT_VECTORS    3
#define LOW_VECTORS      4
#define PASSES_VECTORS   4
#define SMALL_VECTORS    4
#define PAIRED_SUMS      4 /* see paired_body.h */
#define TAP_LANES        1

typedef __m512i vi;
typedef __m512d vd;
typedef __m512 vf;

static inline vi vi_load(const void *p)
{
    return _mm512_loadu_si512(p);
}

static inline void vi_store(void *p, vi v)
{
    _mm512_storeu_si512(p, v);
}

static inline void vi_store_half(void *p, vi v)
{
    _mm256_storeu_si256(p, _mm512_castsi512_si256(v));
}

static inline void vi_store_upper_half(void *p, vi v)
{
    _mm256_storeu_si256(p, _mm512_extracti64x4_epi64(v, 1));
}

static inline void vi_stream(void *p, vi v)
{
    _mm512_stream_si512(p, v);
}

static inline vi vi_xor(vi a, vi b)
{
    return _mm512_xor_si512(a, b);
}

static inline vi vi_and(vi a, vi b)
{
    return _mm512_and_si512(a, b);
}

static inline vi vi_or(vi a, vi b)
{
    return _mm512_or_si512(a, b);
}

/* Shifts by a vector of counts: one instruction instead of two. */
static inline vi vi_sra16(vi v, int32_t shift)
{
    return _mm512_srav_epi16(v, _mm512_set1_epi16((int16_t)shift));
}

static inline vi vi_sra32(vi v, int32_t shift)
{
    return _mm512_srav_epi32(v, _mm512_set1_epi32(shift));
}

static inline vi vi_srl16(vi v, int32_t shift)
{
    return _mm512_srlv_epi16(v, _mm512_set1_epi16((int16_t)shift));
}

static inline void store_half(vi v, uint8_t *p)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi16_epi8(v));
}

static inline void store_shorts(vi a, vi b, void *p)
{
    /* Quarters 0 and 2 of the samples' halves are in `a`, 1 and 3 in `b`. */
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    _mm512_storeu_si512(p, _mm512_permutex2var_epi64(a, first, b));
    _mm512_storeu_si512((int16_t *)p + 32, _mm512_permutex2var_epi64(a, second, b));
}

static inline vi order_bytes(vi v)
{
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
}

static inline vi vs_load_u8(const uint8_t *p)
{
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)p));
}

static inline void vl_join_u8(const uint8_t *a, const uint8_t *b, int32_t *to)
{
    for (int i = 0; i < 32; i += 16) {
        vi x = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(a + i)));
        vi y = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(b + i)));
        vi_store(to + i, _mm512_or_si512(x, _mm512_slli_epi32(y, 16)));
    }
}

static inline vf vf_near_rsqrt(vf v)
{
    return _mm512_rsqrt14_ps(v);
}

static inline vf vf_load_u8(const uint8_t *p)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p)));
}

static inline vf vf_load_u16(const uint16_t *p)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)));
}

static inline vf vf_load_s16(const int16_t *p)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p)));
}

static inline vd vd_load_u8(const uint8_t *p)
{
    return _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p)));
}

static inline vd vd_load_u16(const uint16_t *p)
{
    return _mm512_cvtepi32_pd(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p)));
}

static inline vd vd_load_s16(const int16_t *p)
{
    return _mm512_cvtepi32_pd(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p)));
}

static inline void vd_store_s32(int32_t *p, vd v)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvttpd_epi32(v));
}

static inline vd vd_load_f32(const float *p)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}

static inline void vd_store_f32(float *p, vd v)
{
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(v));
}

/* Without the caches; the other vectors of the cache line follow. */
static inline void vd_stream_f32(float *p, vd v)
{
    _mm256_stream_ps(p, _mm512_cvtpd_ps(v));
}

static inline vd vd_round_f32(vd v)
{
    return _mm512_cvtps_pd(_mm512_cvtpd_ps(v));
}

typedef __mmask8 vd_where; /* one bit for each lane */

static inline vd_where vd_is_number(vd v)
{
    return _mm512_cmp_pd_mask(v, v, _CMP_ORD_Q);
}

static inline vd_where vd_differs(vd a, vd b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ);
}

static inline vd_where vd_equals(vd a, vd b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}

static inline vd_where vd_where_all(void)
{
    return 0xff;
}

static inline vd_where vd_where_both(vd_where a, vd_where b)
{
    return a & b;
}

static inline bool vd_is_everywhere(vd_where where)
{
    return where == 0xff;
}

/* Is |a| at least b? */
static inline vd_where vd_reaches(vd a, vd b)
{
    return _mm512_cmp_pd_mask(_mm512_abs_pd(a), b, _CMP_GE_OQ);
}

static inline vd vd_select(vd_where where, vd a, vd b)
{
    return _mm512_mask_blend_pd(where, b, a);
}

static inline vd vd_fma_where(vd acc, vd a, vd b, vd_where where)
{
    return _mm512_mask3_fmadd_pd(a, b, acc, where);
}

static inline vd vd_add_where(vd acc, vd a, vd_where where)
{
    return _mm512_mask_add_pd(acc, where, acc, a);
}

static inline vi order_quads(vi v)
{
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), v);
}

static inline vi odd_lanes(vi a, vi b)
{
    return _mm512_mask_blend_epi32(0xaaaa, a, b);
}

static inline vi vl_change_s16(const int16_t *a, const int16_t *b)
{
    return _mm512_cvtepi16_epi32(_mm256_sub_epi16(_mm256_loadu_si256((const __m256i *)a),
                                                  _mm256_loadu_si256((const __m256i *)b)));
}

typedef struct {
    __m512i from;
    __mmask16 keep;
} vl_index;

static inline vl_index vl_index_set(const int32_t *from)
{
    __m512i v = _mm512_loadu_si512(from);
    return (vl_index){v, _mm512_cmpge_epi32_mask(v, _mm512_setzero_si512())};
}

static inline vi vl_pick(vi v, vl_index at)
{
    return _mm512_maskz_permutexvar_epi32(at.keep, at.from, v);
}

static inline vi vl_pick_all(vi v, vl_index at)
{
    return _mm512_permutexvar_epi32(at.from, v);
}

#include "cpu/vec_x86.h"

#if !HAVE_DOT_ADD      /* VNNI has the kernels that it makes faster only */
#define HAVE_RUNNING 1 /* running_avx512.h */
#define HAVE_ACROSS  1 /* across_avx512.h */
#define HAVE_LINES   1 /* lines_avx512.h, rotated_avx512.h */
#endif
