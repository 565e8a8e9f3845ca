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

/* Floats hold the limits of these types. */
#define DEFINE_FROM_FLOAT(id, dst)                                                                 \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const float *source = args->source[0];                                                     \
        SAMPLE_##dst *result = args->result;                                                       \
        float low = (float)args->low, high = (float)args->high;                                    \
        for (int64_t i = 0, count = args->count; i < count; i++) {                                 \
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
