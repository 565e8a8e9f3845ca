/* 32-byte vectors of x86 with AVX2 and FMA. */
#include <immintrin.h>
#include <string.h>

/* Keeps a value in a register. */
#define KEEP(v)       __asm__("" : "+x"(v))

#define HAVE_FMA      1
#define NARROW_LANES  32
#define PAIR_LANES    16
#define WIDE_LANES    4
#define FLOAT_LANES   8
#define BLOCK_PAIRS   1
#define BLOCK_VECTORS 3

typedef __m256i vs;
typedef struct {
    __m256i low, high; /* samples 0–3 and 8–11; 4–7 and 12–15: what unpack makes and pack undoes */
} pair_acc;
typedef __m256d vd;
typedef __m256 vf;

/* 64 bytes to where a line begins. */
static inline void line_uncached(uint8_t *to, const uint8_t *from)
{
    for (int i = 0; i < 64; i += 32)
        _mm256_stream_si256((__m256i *)(void *)(to + i),
                            _mm256_loadu_si256((const __m256i *)(const void *)(from + i)));
}

static inline vs vs_load_u8(const uint8_t *p)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
}

static inline vs vs_load_s16(const int16_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

static inline pair_acc pair_set(int32_t add)
{
    __m256i v = _mm256_set1_epi32(add);
    return (pair_acc){v, v};
}

/* Two products each, added. */
static inline __m256i dot_add(__m256i acc, __m256i both, __m256i taps)
{
    return _mm256_add_epi32(acc, _mm256_madd_epi16(both, taps));
}

static inline pair_acc pair_add(pair_acc acc, vs a, vs b, int32_t taps)
{
    __m256i w = _mm256_set1_epi32(taps);
    KEEP(a); /* or they are loaded twice */
    KEEP(b);
    acc.low = dot_add(acc.low, _mm256_unpacklo_epi16(a, b), w);
    acc.high = dot_add(acc.high, _mm256_unpackhi_epi16(a, b), w);
    return acc;
}

typedef pair_acc pair_rows;

/* Samples of two rows, side by side. */
static inline pair_rows pair_join_s16(const int16_t *a, const int16_t *b)
{
    vs x = vs_load_s16(a), y = vs_load_s16(b);
    KEEP(x); /* or they are loaded twice */
    KEEP(y);
    return (pair_rows){_mm256_unpacklo_epi16(x, y), _mm256_unpackhi_epi16(x, y)};
}

/* … less 2^15. */
static inline pair_rows pair_join_u16(const uint16_t *a, const uint16_t *b)
{
    pair_rows both = pair_join_s16((const int16_t *)a, (const int16_t *)b);
    __m256i sign = _mm256_set1_epi16(INT16_MIN);
    return (pair_rows){_mm256_xor_si256(both.low, sign), _mm256_xor_si256(both.high, sign)};
}

static inline pair_acc pair_dot(pair_acc acc, pair_rows both, int32_t taps)
{
    __m256i w = _mm256_set1_epi32(taps);
    acc.low = dot_add(acc.low, both.low, w);
    acc.high = dot_add(acc.high, both.high, w);
    return acc;
}

static inline pair_acc pair_add_shifted(pair_acc acc, pair_acc more, int32_t shift)
{
    acc.low = _mm256_add_epi32(acc.low, _mm256_sra_epi32(more.low, _mm_cvtsi32_si128(shift)));
    acc.high = _mm256_add_epi32(acc.high, _mm256_sra_epi32(more.high, _mm_cvtsi32_si128(shift)));
    return acc;
}

/* Saturating packs keep every value that a clamp within the 16-bit range could keep. */
static inline __m256i clamp_s16(__m256i v, int32_t low, int32_t high)
{
    if (low > INT16_MIN || high < INT16_MAX)
        v = _mm256_min_epi16(_mm256_max_epi16(v, _mm256_set1_epi16((int16_t)low)),
                             _mm256_set1_epi16((int16_t)high));
    return v;
}

static inline __m256i pair_pack_s16(pair_acc acc, int32_t shift, int32_t low, int32_t high)
{
    __m256i v = _mm256_packs_epi32(_mm256_sra_epi32(acc.low, _mm_cvtsi32_si128(shift)),
                                   _mm256_sra_epi32(acc.high, _mm_cvtsi32_si128(shift)));
    return clamp_s16(v, low, high);
}

static inline __m256i pair_pack_u16(pair_acc acc, int32_t shift, int32_t low, int32_t high)
{
    __m256i v = _mm256_packus_epi32(_mm256_sra_epi32(acc.low, _mm_cvtsi32_si128(shift)),
                                    _mm256_sra_epi32(acc.high, _mm_cvtsi32_si128(shift)));
    v = _mm256_max_epu16(v, _mm256_set1_epi16((int16_t)(uint16_t)low));
    return _mm256_min_epu16(v, _mm256_set1_epi16((int16_t)(uint16_t)high));
}

/* low and high are within 0..255 here, so the clamped values fit a byte. */
static inline void pair_store_u8(pair_acc acc, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    __m256i v = pair_pack_s16(acc, shift, low, high);
    __m128i packed = _mm_packus_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storeu_si128((__m128i *)p, packed);
}

/* Two vectors of 16-bit values in the order of the samples, as bytes. */
static inline void store_ordered_bytes(__m256i a, __m256i b, int32_t low, int32_t high, uint8_t *p)
{
    __m256i v = _mm256_packus_epi16(a, b);
    v = _mm256_permute4x64_epi64(v, 0xd8);
    if (low > 0 || high < UINT8_MAX)
        v = _mm256_min_epu8(_mm256_max_epu8(v, _mm256_set1_epi8((char)low)),
                            _mm256_set1_epi8((char)high));
    _mm256_storeu_si256((__m256i *)p, v);
}

static inline void pair_store2_u8(pair_acc a, pair_acc b, int32_t shift, int32_t low, int32_t high,
                                  uint8_t *p)
{
    store_ordered_bytes(pair_pack_s16(a, shift, INT16_MIN, INT16_MAX),
                        pair_pack_s16(b, shift, INT16_MIN, INT16_MAX), low, high, p);
}

static inline void pair_store_s16(pair_acc acc, int32_t shift, int32_t low, int32_t high,
                                  int16_t *p)
{
    _mm256_storeu_si256((__m256i *)(p), pair_pack_s16(acc, shift, low, high));
}

static inline void pair_store_u16(pair_acc acc, int32_t shift, int32_t low, int32_t high,
                                  uint16_t *p)
{
    _mm256_storeu_si256((__m256i *)(p), pair_pack_u16(acc, shift, low, high));
}

typedef struct {
    __m256i low, high; /* as unpack leaves them; pack restores the order */
} narrow_acc;
typedef narrow_acc narrow_rows;

static inline narrow_acc narrow_set(int16_t add)
{
    __m256i v = _mm256_set1_epi16(add);
    return (narrow_acc){v, v};
}

/* Samples of two rows, side by side. */
static inline narrow_rows narrow_join(const uint8_t *a, const uint8_t *b)
{
    __m256i x = _mm256_loadu_si256((const __m256i *)a), y = _mm256_loadu_si256((const __m256i *)b);
    KEEP(x); /* or they are loaded twice */
    KEEP(y);
    return (narrow_rows){_mm256_unpacklo_epi8(x, y), _mm256_unpackhi_epi8(x, y)};
}

static inline narrow_acc narrow_dot(narrow_acc acc, narrow_rows both, int32_t taps)
{
    __m256i w = _mm256_set1_epi32(taps);
    acc.low = _mm256_add_epi16(acc.low, _mm256_maddubs_epi16(both.low, w));
    acc.high = _mm256_add_epi16(acc.high, _mm256_maddubs_epi16(both.high, w));
    return acc;
}

static inline void store_bytes(narrow_acc sums, int32_t low, int32_t high, uint8_t *p)
{
    __m256i v = _mm256_packus_epi16(sums.low, sums.high);
    if (low > 0 || high < UINT8_MAX)
        v = _mm256_min_epu8(_mm256_max_epu8(v, _mm256_set1_epi8((char)low)),
                            _mm256_set1_epi8((char)high));
    _mm256_storeu_si256((__m256i *)(p), v);
}

/* 16-bit values in the order of the samples. */
static inline void store_shorts(__m256i a, __m256i b, void *p)
{
    _mm256_storeu_si256((__m256i *)p, _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256((__m256i *)p + 1, _mm256_permute2x128_si256(a, b, 0x31));
}

static inline narrow_acc narrow_shift(narrow_acc acc, int32_t shift)
{
    return (narrow_acc){_mm256_sra_epi16(acc.low, _mm_cvtsi32_si128(shift)),
                        _mm256_sra_epi16(acc.high, _mm_cvtsi32_si128(shift))};
}

static inline void narrow_store_u8(narrow_acc acc, int32_t shift, int32_t low, int32_t high,
                                   uint8_t *p)
{
    store_bytes(narrow_shift(acc, shift), low, high, p);
}

static inline void narrow_store_s16(narrow_acc acc, int32_t shift, int32_t low, int32_t high,
                                    int16_t *p)
{
    acc = narrow_shift(acc, shift);
    store_shorts(clamp_s16(acc.low, low, high), clamp_s16(acc.high, low, high), p);
}

/* Sums of four samples in every 16 bytes, then of the next four …: pack restores the order. */
typedef struct {
    __m256i v[4];
} quad_acc;
typedef quad_acc quad_rows;

static inline quad_acc quad_set(int32_t add)
{
    __m256i v = _mm256_set1_epi32(add);
    return (quad_acc){{v, v, v, v}};
}

static inline quad_rows quad_join(const uint8_t *a, const uint8_t *b)
{
    narrow_rows both = narrow_join(a, b);
    __m256i zero = _mm256_setzero_si256();
    return (quad_rows){{_mm256_unpacklo_epi8(both.low, zero), _mm256_unpackhi_epi8(both.low, zero),
                        _mm256_unpacklo_epi8(both.high, zero),
                        _mm256_unpackhi_epi8(both.high, zero)}};
}

static inline quad_acc quad_dot(quad_acc acc, quad_rows both, int32_t taps)
{
    __m256i w = _mm256_set1_epi32(taps);
    for (int i = 0; i < 4; i++)
        acc.v[i] = dot_add(acc.v[i], both.v[i], w);
    return acc;
}

static inline pair_acc quad_half(quad_acc acc, int half)
{
    return (pair_acc){acc.v[2 * half], acc.v[2 * half + 1]};
}

static inline void quad_store_u8(quad_acc acc, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    narrow_acc sums = {pair_pack_s16(quad_half(acc, 0), shift, INT16_MIN, INT16_MAX),
                       pair_pack_s16(quad_half(acc, 1), shift, INT16_MIN, INT16_MAX)};
    store_bytes(sums, low, high, p);
}

static inline void quad_store_s16(quad_acc acc, int32_t shift, int32_t low, int32_t high,
                                  int16_t *p)
{
    store_shorts(pair_pack_s16(quad_half(acc, 0), shift, low, high),
                 pair_pack_s16(quad_half(acc, 1), shift, low, high), p);
}

static inline void quad_store_u16(quad_acc acc, int32_t shift, int32_t low, int32_t high,
                                  uint16_t *p)
{
    store_shorts(pair_pack_u16(quad_half(acc, 0), shift, low, high),
                 pair_pack_u16(quad_half(acc, 1), shift, low, high), p);
}

static inline vs short_plus(vs a, vs b)
{
    return _mm256_add_epi16(a, b);
}

/* ((2·sum + n)·multiplier >> 16) >> shift */
static inline vs short_mean(vs sum, uint16_t n, uint16_t multiplier, int32_t shift)
{
    __m256i t = _mm256_add_epi16(_mm256_add_epi16(sum, sum), _mm256_set1_epi16((int16_t)n));
    t = _mm256_mulhi_epu16(t, _mm256_set1_epi16((int16_t)multiplier));
    return _mm256_srl_epi16(t, _mm_cvtsi32_si128(shift));
}

static inline vs short_set(uint16_t add)
{
    return _mm256_set1_epi16((int16_t)add);
}

static inline vs short_add(vs acc, vs a, int16_t tap)
{
    return _mm256_add_epi16(acc, _mm256_mullo_epi16(a, _mm256_set1_epi16(tap)));
}

/* Sums are below 2^16, so that bytes beyond 255 saturate in a 16-bit minimum first. */
/* Sums below 2^16 need not be below 2^15: packing takes them for signed, so they stop at 255. */
static inline void short_store2_u8(vs a, vs b, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    __m256i most = _mm256_set1_epi16(UINT8_MAX);
    store_ordered_bytes(_mm256_min_epu16(_mm256_srl_epi16(a, _mm_cvtsi32_si128(shift)), most),
                        _mm256_min_epu16(_mm256_srl_epi16(b, _mm_cvtsi32_si128(shift)), most), low,
                        high, p);
}

static inline void short_store_u8(vs acc, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    __m256i v = _mm256_srl_epi16(acc, _mm_cvtsi32_si128(shift));
    v = _mm256_min_epu16(_mm256_max_epu16(v, _mm256_set1_epi16((int16_t)low)),
                         _mm256_set1_epi16((int16_t)high));
    _mm_storeu_si128((__m128i *)p,
                     _mm_packus_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)));
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

static inline vd vd_load_f64(const double *p)
{
    return _mm256_loadu_pd(p);
}

static inline vd vd_set(double v)
{
    return _mm256_set1_pd(v);
}

static inline vd vd_add_product(vd acc, vd a, vd b)
{
    return _mm256_fmadd_pd(a, b, acc);
}

static inline vd vd_mul(vd a, vd b)
{
    return _mm256_mul_pd(a, b);
}

static inline vd vd_floor_clamp(vd v, vd low, vd high)
{
    return _mm256_min_pd(_mm256_max_pd(_mm256_floor_pd(v), low), high);
}

static inline void vd_store(double *p, vd v)
{
    _mm256_storeu_pd(p, v);
}

static inline void vd_store_s32(int32_t *p, vd v)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvttpd_epi32(v));
}

static inline vf vf_load(const float *p)
{
    return _mm256_loadu_ps(p);
}

static inline vf vf_set(float v)
{
    return _mm256_set1_ps(v);
}

static inline vf vf_add(vf a, vf b)
{
    return _mm256_add_ps(a, b);
}

static inline vf vf_fma(vf acc, vf a, vf b)
{
    return _mm256_fmadd_ps(a, b, acc);
}

/* min and max return their second operand when one is NaN, so NaN stays. */
static inline vf vf_clamp(vf v, vf low, vf high)
{
    return _mm256_min_ps(high, _mm256_max_ps(low, v));
}

static inline void vf_store(float *p, vf v)
{
    _mm256_storeu_ps(p, v);
}
