/* Bodies of the kernels that convert samples from one type to another. */

/* Plain loops that compilers vectorize. */
#define DEFINE_TO_REAL(id, src, type)                                                              \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE_##src *source = args->source[0];                                              \
        SAMPLE_##type *result = args->result;                                                      \
        for (int64_t i = 0, count = args->count; i < count; i++)                                   \
            result[i] = (SAMPLE_##type)source[i];                                                  \
    }

/* floor(v + ½) as if in exact arithmetic: from 2^23 on floats are whole, and below that the
 * difference from the whole number is exact, or rounded to at least ½ if v is in −½ … 0. NaN
 * becomes 0. */
static inline float half_up_float(float v)
{
    float whole = floorf(v);
    return v == v ? whole + (v - whole >= 0.5f ? 1.0f : 0.0f) : 0.0f;
}

/* half_up_float() of a vector of floats within limits, as integers. Compilers compare, and choose
 * among integers. */
#if defined(__AVX512F__)
static inline __m512i half_up_ints(const float *from, float low, float high)
{
    enum { DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC };
    __m512 v = _mm512_loadu_ps(from), zero = _mm512_set1_ps((float)clamp_double(0, low, high));
    v = _mm512_mask_max_ps(zero, _mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), v, _mm512_set1_ps(low));
    v = _mm512_min_ps(v, _mm512_set1_ps(high));
    return _mm512_cvt_roundps_epi32(_mm512_add_round_ps(v, _mm512_set1_ps(0.5f), DOWN), DOWN);
}

static inline void store_half_up_u16(const float *from, float low, float high, uint16_t *to)
{
    _mm256_storeu_si256((void *)to, _mm512_cvtepi32_epi16(half_up_ints(from, low, high)));
}

static inline void store_half_up_s16(const float *from, float low, float high, int16_t *to)
{
    _mm256_storeu_si256((void *)to, _mm512_cvtepi32_epi16(half_up_ints(from, low, high)));
}

static inline void store_half_up_u8(const float *from, float low, float high, uint8_t *to)
{
    _mm_storeu_si128((void *)to, _mm512_cvtepi32_epi8(half_up_ints(from, low, high)));
}
#elif defined(__AVX2__)
static inline __m256i half_up_ints(const float *from, float low, float high)
{
    __m256 v = _mm256_loadu_ps(from);
    v = _mm256_and_ps(v, _mm256_cmp_ps(v, v, _CMP_ORD_Q));
    v = _mm256_min_ps(_mm256_max_ps(v, _mm256_set1_ps(low)), _mm256_set1_ps(high));
    __m256i even = _mm256_cvtps_epi32(v); /* of a half up or down */
    __m256 up =
        _mm256_cmp_ps(_mm256_sub_ps(v, _mm256_cvtepi32_ps(even)), _mm256_set1_ps(0.5f), _CMP_EQ_OQ);
    return _mm256_sub_epi32(even, _mm256_castps_si256(up));
}

/* The same if low is at least 0, to which the maximum takes NaN. The float before ½ rounds up from
 * ½ on, and not from that float on, as ½ would. */
static inline __m256i half_up_naturals(const float *from, float low, float high)
{
    __m256 v = _mm256_max_ps(_mm256_loadu_ps(from), _mm256_set1_ps(low));
    v = _mm256_min_ps(v, _mm256_set1_ps(high));
    return _mm256_cvttps_epi32(_mm256_add_ps(v, _mm256_set1_ps(0x1.fffffep-2f)));
}

static inline __m256i half_up_u16(const float *from, float low, float high)
{
    __m256i v = _mm256_packus_epi32(half_up_naturals(from, low, high),
                                    half_up_naturals(from + 8, low, high));
    return _mm256_permute4x64_epi64(v, 0xd8);
}

static inline void store_half_up_u16(const float *from, float low, float high, uint16_t *to)
{
    _mm256_storeu_si256((void *)to, half_up_u16(from, low, high));
}

static inline void store_half_up_s16(const float *from, float low, float high, int16_t *to)
{
    __m256i v =
        _mm256_packs_epi32(half_up_ints(from, low, high), half_up_ints(from + 8, low, high));
    _mm256_storeu_si256((void *)to, _mm256_permute4x64_epi64(v, 0xd8));
}

static inline void store_half_up_u8(const float *from, float low, float high, uint8_t *to)
{
    __m256i v = half_up_u16(from, low, high);
    __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storeu_si128((void *)to, bytes);
}
#endif

#ifdef __AVX2__
enum { HALF_UP_LANES = 16 };
#define HALF_UP_VECTORS(dst, source, low, high, count, result, i)                                  \
    for (; (i) + HALF_UP_LANES <= (count); (i) += HALF_UP_LANES)                                   \
    store_half_up_##dst((source) + (i), low, high, (result) + (i))
#else
#define HALF_UP_VECTORS(dst, source, low, high, count, result, i)
#endif

/* Floats hold the limits of these types. */
#define DEFINE_FROM_FLOAT(id, dst)                                                                 \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const float *source = args->source[0];                                                     \
        SAMPLE_##dst *result = args->result;                                                       \
        float low = (float)args->low, high = (float)args->high;                                    \
        int64_t i = 0, count = args->count;                                                        \
        HALF_UP_VECTORS(dst, source, low, high, count, result, i);                                 \
        for (; i < count; i++) {                                                                   \
            float v = half_up_float(source[i]);                                                    \
            result[i] = (SAMPLE_##dst)(int32_t)(v < low ? low : v > high ? high : v);              \
        }                                                                                          \
    }

/* floor(v + ½) as if in exact arithmetic; see rounding.h. */
static inline double half_up(double v)
{
    double whole = floor(v);
    return v == v ? whole + (v - whole >= 0.5 ? 1.0 : 0.0) : 0.0;
}

/* Values of u32 exceed those of the integers to which vectors of doubles can be converted. */
#define OFFSET_u8  0.0
#define OFFSET_u16 0.0
#define OFFSET_s16 0.0
#define OFFSET_s32 0.0
#define OFFSET_u32 0x1p31

#define DEFINE_FROM_DOUBLE(id, dst)                                                                \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const double *source = args->source[0];                                                    \
        SAMPLE_##dst *result = args->result;                                                       \
        double low = args->low, high = args->high;                                                 \
        for (int64_t i = 0, count = args->count; i < count; i++)                                   \
            result[i] = (SAMPLE_##dst)(                                                            \
                (uint32_t)(int32_t)(clamp_double(half_up(source[i]), low, high) - OFFSET_##dst) +  \
                (uint32_t)OFFSET_##dst);                                                           \
    }

/* The clamp keeps NaN. */
#define DEFINE_DOUBLE_TO_FLOAT(id)                                                                 \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const double *source = args->source[0];                                                    \
        float *result = args->result, low = (float)args->low, high = (float)args->high;            \
        for (int64_t i = 0, count = args->count; i < count; i++) {                                 \
            float v = (float)source[i];                                                            \
            result[i] = v < low ? low : v > high ? high : v;                                       \
        }                                                                                          \
    }

#define DEFINE_CONVERT(id, src, dst) DEFINE_CONVERT_##src##_##dst(id)
#define DEFINE_CONVERT_u8_f32(id)    DEFINE_TO_REAL(id, u8, f32)
#define DEFINE_CONVERT_u16_f32(id)   DEFINE_TO_REAL(id, u16, f32)
#define DEFINE_CONVERT_s16_f32(id)   DEFINE_TO_REAL(id, s16, f32)
#define DEFINE_CONVERT_f32_u8(id)    DEFINE_FROM_FLOAT(id, u8)
#define DEFINE_CONVERT_f32_u16(id)   DEFINE_FROM_FLOAT(id, u16)
#define DEFINE_CONVERT_f32_s16(id)   DEFINE_FROM_FLOAT(id, s16)
#define DEFINE_CONVERT_u8_f64(id)    DEFINE_TO_REAL(id, u8, f64)
#define DEFINE_CONVERT_u16_f64(id)   DEFINE_TO_REAL(id, u16, f64)
#define DEFINE_CONVERT_s16_f64(id)   DEFINE_TO_REAL(id, s16, f64)
#define DEFINE_CONVERT_f32_f64(id)   DEFINE_TO_REAL(id, f32, f64)
#define DEFINE_CONVERT_u32_f64(id)   DEFINE_TO_REAL(id, u32, f64)
#define DEFINE_CONVERT_s32_f64(id)   DEFINE_TO_REAL(id, s32, f64)
#define DEFINE_CONVERT_f64_u8(id)    DEFINE_FROM_DOUBLE(id, u8)
#define DEFINE_CONVERT_f64_u16(id)   DEFINE_FROM_DOUBLE(id, u16)
#define DEFINE_CONVERT_f64_s16(id)   DEFINE_FROM_DOUBLE(id, s16)
#define DEFINE_CONVERT_f64_u32(id)   DEFINE_FROM_DOUBLE(id, u32)
#define DEFINE_CONVERT_f64_s32(id)   DEFINE_FROM_DOUBLE(id, s32)
#define DEFINE_CONVERT_f64_f32(id)   DEFINE_DOUBLE_TO_FLOAT(id)
