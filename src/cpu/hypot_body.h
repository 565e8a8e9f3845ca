/* Bodies of the kernels that join two gradients. */

/* The root of a float is within 1 of the root of the sum, n, and so is the whole number r nearest
 * to it. floor(√n + ½) is the r with r² − r < n ≤ r² + r, because n and r are whole. All fit 32
 * bits. */
static inline uint32_t whole_root(uint32_t n)
{
    uint32_t r = (uint32_t)(int32_t)(__builtin_sqrtf((float)n) + 0.5f);
    uint32_t product = r * r;
    return r + (n > product + r) - (product >= n + r && r > 0);
}

#define DEFINE_HYPOT(id, src, dst) HYPOT_##src##_##dst(id)

#define HYPOT_SHORT                                                                                \
    const int16_t *restrict x = args->source[0], *restrict y = args->source[1];                    \
    int32_t low = (int32_t)args->low, high = (int32_t)args->high;

#define HYPOT_ONE(type)                                                                            \
    uint32_t n = (uint32_t)(x[i] * x[i]) + (uint32_t)(y[i] * y[i]);                                \
    int32_t root = (int32_t)whole_root(n);                                                         \
    root = root < low ? low : root;                                                                \
    result[i] = (type)(root > high ? high : root);

/* Plain loops that compilers vectorize. */
#define HYPOT_WHOLE(id, type)                                                                      \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        HYPOT_SHORT                                                                                \
        type *restrict result = args->result;                                                      \
        for (int64_t i = 0, count = args->count; i < count; i++) {                                 \
            HYPOT_ONE(type)                                                                        \
        }                                                                                          \
    }
#define HYPOT_s16_u16(id) HYPOT_WHOLE(id, uint16_t)
#define HYPOT_s16_s16(id) HYPOT_WHOLE(id, int16_t)

/* Computes `units` vectors at sample i and stores two at a time with `store` at `to`. */
#define HYPOT_AT(units, store, to)                                                                 \
    {                                                                                              \
        vs acc[units];                                                                             \
        for (int u = 0; u < (units); u++)                                                          \
            acc[u] = short_hypot(vs_load_s16(x + i + u * PAIR_LANES),                              \
                                 vs_load_s16(y + i + u * PAIR_LANES));                             \
        if ((units) == 1)                                                                          \
            short_store_u8(acc[0], 0, low, high, (to) + i);                                        \
        for (int u = 0; u + 1 < (units); u += 2)                                                   \
            store(acc[u], acc[u + 1], 0, low, high, (to) + i + u * PAIR_LANES);                    \
    }

/* Vectors of which the results fill a cache line, or as many as are processed at a time. */
enum { HYPOT_UNITS = PAIR_LANES * UNROLL < 64 ? UNROLL : 64 / PAIR_LANES };

/* Results of u8 are limited to 255, so roots need few bits. */
#define HYPOT_s16_u8(id)                                                                           \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        HYPOT_SHORT                                                                                \
        uint8_t *result = args->result;                                                            \
        int64_t done = 0, count = args->count;                                                     \
        if (args->stream && count >= STREAM_LEAST) {                                               \
            for (int64_t i = 0; i < BEFORE_LINE(result); i += PAIR_LANES)                          \
                HYPOT_AT(1, short_store2_u8, result)                                               \
            for (done = BEFORE_LINE(result); done + HYPOT_UNITS * PAIR_LANES <= count;             \
                 done += HYPOT_UNITS * PAIR_LANES) {                                               \
                const int64_t i = done;                                                            \
                HYPOT_AT(HYPOT_UNITS, short_stream2_u8, result)                                    \
            }                                                                                      \
        }                                                                                          \
        EACH_VECTOR_FROM(done, PAIR_LANES, HYPOT_AT, short_store2_u8, result)                      \
        for (int64_t i = 0; count < PAIR_LANES && i < count; i++) {                                \
            HYPOT_ONE(uint8_t)                                                                     \
        }                                                                                          \
    }

/* The order and the rounding of op_join.c. */
#define HYPOT_REAL(id, type, fused, root)                                                          \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const type *restrict x = args->source[0], *restrict y = args->source[1];                   \
        type *restrict result = args->result;                                                      \
        const type low = (type)args->low, high = (type)args->high, bias = (type)args->bias;        \
        for (int64_t i = 0, count = args->count; i < count; i++) {                                 \
            type v = root(fused(y[i], y[i], x[i] * x[i])) + bias;                                  \
            result[i] = v < low ? low : v > high ? high : v;                                       \
        }                                                                                          \
    }
#define HYPOT_f32_f32(id) HYPOT_REAL(id, float, __builtin_fmaf, __builtin_sqrtf)
#define HYPOT_f64_f64(id) HYPOT_REAL(id, double, __builtin_fma, __builtin_sqrt)
