/* 64-byte vectors of x86 with AVX-512 F, BW, DQ and VL. */
#include <immintrin.h>

#define HAVE_FMA     1
#define NARROW_LANES 64
#define PAIR_LANES   32
#define WIDE_LANES   8
#define FLOAT_LANES  16

typedef __m512i vs;
typedef struct {
    __m512i low, high; /* as unpack leaves them; pack restores the order */
} pair_acc;
typedef __m512d vd;
typedef __m512 vf;

static inline vs vs_load_u8(const uint8_t *p)
{
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)p));
}

static inline vs vs_load_s16(const int16_t *p)
{
    return _mm512_loadu_si512(p);
}

static inline pair_acc pair_set(int32_t add)
{
    __m512i v = _mm512_set1_epi32(add);
    return (pair_acc){v, v};
}

static inline pair_acc pair_add(pair_acc acc, vs a, vs b, int32_t taps)
{
    __m512i w = _mm512_set1_epi32(taps);
    acc.low = _mm512_add_epi32(acc.low, _mm512_madd_epi16(_mm512_unpacklo_epi16(a, b), w));
    acc.high = _mm512_add_epi32(acc.high, _mm512_madd_epi16(_mm512_unpackhi_epi16(a, b), w));
    return acc;
}

static inline __m512i pair_pack_s16(pair_acc acc, int32_t shift, int32_t low, int32_t high)
{
    __m128i by = _mm_cvtsi32_si128(shift);
    __m512i v = _mm512_packs_epi32(_mm512_sra_epi32(acc.low, by), _mm512_sra_epi32(acc.high, by));
    return _mm512_min_epi16(_mm512_max_epi16(v, _mm512_set1_epi16((int16_t)low)),
                            _mm512_set1_epi16((int16_t)high));
}

/* low and high are within 0..255 here, so the clamped values fit a byte. */
static inline void pair_store_u8(pair_acc acc, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi16_epi8(pair_pack_s16(acc, shift, low, high)));
}

static inline void pair_store_s16(pair_acc acc, int32_t shift, int32_t low, int32_t high,
                                  int16_t *p)
{
    _mm512_storeu_si512(p, pair_pack_s16(acc, shift, low, high));
}

static inline void pair_store_u16(pair_acc acc, int32_t shift, int32_t low, int32_t high,
                                  uint16_t *p)
{
    __m128i by = _mm_cvtsi32_si128(shift);
    __m512i v = _mm512_packus_epi32(_mm512_sra_epi32(acc.low, by), _mm512_sra_epi32(acc.high, by));
    v = _mm512_max_epu16(v, _mm512_set1_epi16((int16_t)(uint16_t)low));
    _mm512_storeu_si512(p, _mm512_min_epu16(v, _mm512_set1_epi16((int16_t)(uint16_t)high)));
}

typedef struct {
    __m512i low, high; /* as unpack leaves them; pack restores the order */
} narrow_acc;

static inline narrow_acc narrow_set(int16_t add)
{
    __m512i v = _mm512_set1_epi16(add);
    return (narrow_acc){v, v};
}

static inline narrow_acc narrow_add(narrow_acc acc, const uint8_t *a, const uint8_t *b,
                                    int16_t taps)
{
    __m512i x = _mm512_loadu_si512((const void *)a), y = _mm512_loadu_si512((const void *)b),
            w = _mm512_set1_epi16(taps);
    acc.low = _mm512_add_epi16(acc.low, _mm512_maddubs_epi16(_mm512_unpacklo_epi8(x, y), w));
    acc.high = _mm512_add_epi16(acc.high, _mm512_maddubs_epi16(_mm512_unpackhi_epi8(x, y), w));
    return acc;
}

static inline void narrow_store_u8(narrow_acc acc, int32_t shift, int32_t low, int32_t high,
                                   uint8_t *p)
{
    __m128i by = _mm_cvtsi32_si128(shift);
    __m512i v = _mm512_packus_epi16(_mm512_sra_epi16(acc.low, by), _mm512_sra_epi16(acc.high, by));
    v = _mm512_max_epu8(v, _mm512_set1_epi8((char)low));
    _mm512_storeu_si512((void *)p, _mm512_min_epu8(v, _mm512_set1_epi8((char)high)));
}

static inline void narrow_store_s16(narrow_acc acc, int32_t shift, int32_t low, int32_t high,
                                    int16_t *p)
{
    __m128i by = _mm_cvtsi32_si128(shift);
    __m512i least = _mm512_set1_epi16((int16_t)low), most = _mm512_set1_epi16((int16_t)high);
    __m512i a = _mm512_min_epi16(_mm512_max_epi16(_mm512_sra_epi16(acc.low, by), least), most);
    __m512i b = _mm512_min_epi16(_mm512_max_epi16(_mm512_sra_epi16(acc.high, by), least), most);
    /* Quarters 0 and 2 of the samples' halves lie in `a`, 1 and 3 in `b`. */
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    _mm512_storeu_si512(p, _mm512_permutex2var_epi64(a, first, b));
    _mm512_storeu_si512(p + 32, _mm512_permutex2var_epi64(a, second, b));
}

static inline vs short_set(uint16_t add)
{
    return _mm512_set1_epi16((int16_t)add);
}

static inline vs short_add(vs acc, vs a, int16_t tap)
{
    return _mm512_add_epi16(acc, _mm512_mullo_epi16(a, _mm512_set1_epi16(tap)));
}

/* Sums are below 2^16, so that bytes beyond 255 saturate in a 16-bit minimum first. */
static inline void short_store_u8(vs acc, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    __m512i v = _mm512_srl_epi16(acc, _mm_cvtsi32_si128(shift));
    v = _mm512_min_epu16(_mm512_max_epu16(v, _mm512_set1_epi16((int16_t)low)),
                         _mm512_set1_epi16((int16_t)high));
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi16_epi8(v));
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

static inline vd vd_load_f64(const double *p)
{
    return _mm512_loadu_pd(p);
}

static inline vd vd_set(double v)
{
    return _mm512_set1_pd(v);
}

static inline vd vd_add_product(vd acc, vd a, vd b)
{
    return _mm512_fmadd_pd(a, b, acc);
}

static inline vd vd_mul(vd a, vd b)
{
    return _mm512_mul_pd(a, b);
}

static inline vd vd_floor_clamp(vd v, vd low, vd high)
{
    v = _mm512_roundscale_pd(v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return _mm512_min_pd(_mm512_max_pd(v, low), high);
}

static inline void vd_store(double *p, vd v)
{
    _mm512_storeu_pd(p, v);
}

static inline void vd_store_s32(int32_t *p, vd v)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvttpd_epi32(v));
}

static inline vf vf_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

static inline vf vf_set(float v)
{
    return _mm512_set1_ps(v);
}

static inline vf vf_add(vf a, vf b)
{
    return _mm512_add_ps(a, b);
}

static inline vf vf_fma(vf acc, vf a, vf b)
{
    return _mm512_fmadd_ps(a, b, acc);
}

/* min and max return their second operand when one is NaN, so NaN stays. */
static inline vf vf_clamp(vf v, vf low, vf high)
{
    return _mm512_min_ps(high, _mm512_max_ps(low, v));
}

static inline void vf_store(float *p, vf v)
{
    _mm512_storeu_ps(p, v);
}
