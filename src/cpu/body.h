/* The loop bodies of all kernels, written once. An isa_*.c file defines ISA_ID and includes its
 * vec_*.h and then this file, which ends with the instruction set's table of kernels.
 *
 * Each body processes UNROLL vectors at a time, so that taps are loaded once for all of them and
 * sums stay in registers. Then it processes single vectors, the last of which may overlap the one
 * before it. Only rows shorter than a vector are processed sample by sample, with the same
 * operations in the same order. Groups of vectors are macros, not functions of `units`: compilers
 * keep the sums in registers only if the loop bound is a constant. */

#include <string.h>

enum { UNROLL = 4 };

#ifndef HAVE_DOT_ADD
#define HAVE_DOT_ADD 0
#endif
#ifndef HAVE_STREAM /* without stores that bypass the caches */
#define narrow_stream_u8 narrow_store_u8
#define short_stream2_u8 short_store2_u8
#define vd_stream_f32    vd_store_f32
#define vd_stream        vd_store
#define vf_stream        vf_store
#endif

#define ALWAYS_INLINE __attribute__((always_inline))

/* Before a loop of a constant number of turns, in which compilers keep an array in registers. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 32")
#endif

#define KERNEL_NAME_(isa, id) kernel_##isa##_##id
#define KERNEL_NAME(isa, id)  KERNEL_NAME_(isa, id)
#define TABLE_NAME_(isa)      isa_kernels_##isa
#define TABLE_NAME(isa)       TABLE_NAME_(isa)
#define ROWS_NAME_(isa)       isa_rows_##isa
#define ROWS_NAME(isa)        ROWS_NAME_(isa)

static inline int64_t clamp_long(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

static inline double clamp_double(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* Into the second-level cache: the first one is too small for the rows of a whole task. */
static inline void prefetch_near(const void *p)
{
    __builtin_prefetch(p, 0, 2);
}

/* Samples of a result before its first cache line. */
#define BEFORE_LINE(result) ((int64_t)((-(uintptr_t)(result) % 64) / sizeof *(result)))

/* The position of a vector of `lanes` samples that would start at i; -1 if none fits. */
static inline int64_t place_vector(int64_t i, int64_t lanes, int64_t count)
{
    if (i + lanes <= count)
        return i;
    return count < lanes ? -1 : count - lanes;
}

/* Computes the samples from `start` on with at(units, …), which handles `units` vectors at sample
 * i: `most` at once while there are as many. A last vector that would exceed the end starts earlier
 * and computes some samples again. */
#define EACH_VECTOR_OF(start, lanes, most, at, ...)                                                \
    {                                                                                              \
        int64_t i = start;                                                                         \
        for (; i + (most) * (lanes) <= args->count; i += (most) * (lanes))                         \
            at(most, __VA_ARGS__);                                                                 \
        for (int64_t next = i; next < args->count; next += (lanes)) {                              \
            i = place_vector(next, lanes, args->count);                                            \
            if (i < 0)                                                                             \
                break;                                                                             \
            at(1, __VA_ARGS__);                                                                    \
        }                                                                                          \
    }
#define EACH_VECTOR_FROM(start, lanes, at, ...)                                                    \
    EACH_VECTOR_OF(start, lanes, UNROLL, at, __VA_ARGS__)
#define EACH_VECTOR(lanes, at, ...) EACH_VECTOR_FROM(0, lanes, at, __VA_ARGS__)

/* Computes the samples of a row that is shorter than a vector. */
#define EACH_SAMPLE(lanes, type)                                                                   \
    for (int64_t i = 0; args->count < (lanes) && i < args->count; i++) {                           \
        int32_t sum = add;                                                                         \
        for (int64_t t = 0; t < args->tap_count; t++)                                              \
            sum += taps[t] * source[t][i];                                                         \
        result[i] = (type)clamp_long(sum >> shift, low, high);                                     \
    }

/* The lines of a result that will be stored soon, if `bytes` are stored at `to` now: at least a
 * vector, because a prefetch takes as long as plain C for a sample. */
static inline ALWAYS_INLINE void prefetch_result(const void *to, const int64_t bytes)
{
    enum { AHEAD = 512, LEAST = 16 };
    for (int64_t b = 0; bytes >= LEAST && b < bytes; b += 64)
        __builtin_prefetch((const uint8_t *)to + AHEAD + b, 1, 3);
}

#ifndef NARROW_KEEP
#define NARROW_KEEP
#endif

/* Computes `units` vectors at sample i and stores them with `store` at `to`. */
#define NARROW_AT(units, store, to)                                                                \
    {                                                                                              \
        for (int b = 0; ahead && b < (units)*NARROW_LANES; b += 64)                                \
            prefetch_near(ahead + i + b);                                                          \
        narrow_acc acc[units];                                                                     \
        for (int u = 0; u < (units); u++)                                                          \
            acc[u] = narrow_set(add);                                                              \
        for (int64_t p = 0; p < pairs; p++) {                                                      \
            const uint8_t *a = source[2 * p] + i, *b = source[2 * p + 1] + i;                      \
            int32_t both = joined ? joined[p] : narrow_pair(taps, p);                              \
            for (int u = 0; u < (units); u++)                                                      \
                acc[u] = NARROW_KEEP(narrow_dot(                                                   \
                    acc[u], narrow_join(a + u * NARROW_LANES, b + u * NARROW_LANES), both));       \
        }                                                                                          \
        for (int u = 0; u < (units); u++)                                                          \
            store(acc[u], shift, low, high, (to) + i + u * NARROW_LANES);                          \
    }

/* The same where the caches are not bypassed. */
#define NARROW_CACHED(units, store, to)                                                            \
    {                                                                                              \
        prefetch_result((to) + i, (units)*NARROW_LANES * (int64_t)sizeof *(to));                   \
        NARROW_AT(units, store, to)                                                                \
    }

/* Vectors at once, and those in a cache line of bytes, or as many as are computed at once. */
enum {
    NARROW_UNITS = NARROW_LANES > 16 ? 2 : UNROLL, /* with AVX2, gcc keeps no more in registers */
    LINE_UNITS = NARROW_LANES * UNROLL < 64 ? UNROLL : 64 / NARROW_LANES
};

/* Samples of a part of a row that is streamed: lines of shorter ones, such as the ends of rows, are
 * mostly shared with parts that are not. */
enum { STREAM_LEAST = 1024 };

/* Stores whole cache lines of the result without the caches. */
#define NARROW_STREAM_u8                                                                           \
    if (args->stream && args->count >= STREAM_LEAST) {                                             \
        for (int64_t i = 0; i < BEFORE_LINE(result); i += NARROW_LANES)                            \
            NARROW_AT(1, narrow_store_u8, result)                                                  \
        for (done = BEFORE_LINE(result); done + LINE_UNITS * NARROW_LANES <= args->count;          \
             done += LINE_UNITS * NARROW_LANES) {                                                  \
            const int64_t i = done;                                                                \
            NARROW_AT(LINE_UNITS, narrow_stream_u8, result)                                        \
        }                                                                                          \
    }
#define NARROW_STREAM_s16

static inline int32_t narrow_pair(const int8_t *taps, int64_t pair)
{
    return kernel_join_bytes(taps[2 * pair], taps[2 * pair + 1]);
}

/* With `joined`, the pairs of taps, a constant number of them, stay in registers. */
#define DEFINE_NARROW_WITH(id, dst)                                                                \
    static inline ALWAYS_INLINE void id##_with(const struct kernel_args *args,                     \
                                               const int32_t *joined, const int64_t pairs)         \
    {                                                                                              \
        const uint8_t *const *source = (const uint8_t *const *)args->source;                       \
        const uint8_t *ahead = args->ahead ? args->ahead[0] : NULL;                                \
        const int8_t *taps = args->taps;                                                           \
        SAMPLE_##dst *result = args->result;                                                       \
        int32_t low = (int32_t)args->low, high = (int32_t)args->high, shift = args->shift;         \
        int16_t add = (int16_t)args->add;                                                          \
        int64_t done = 0;                                                                          \
        NARROW_STREAM_##dst EACH_VECTOR_OF(done, NARROW_LANES, NARROW_UNITS, NARROW_CACHED,        \
                                           narrow_store_##dst, result)                             \
            EACH_SAMPLE(NARROW_LANES, SAMPLE_##dst)                                                \
    }

/* For the commonest masks, 3 × 3 with five or nine taps, the number of pairs is a constant. */
#define DEFINE_NARROW(id, src, dst)                                                                \
    DEFINE_NARROW_WITH(id, dst)                                                                    \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const int8_t *taps = args->taps;                                                           \
        if (args->tap_count == 6) {                                                                \
            int32_t joined[] = {narrow_pair(taps, 0), narrow_pair(taps, 1), narrow_pair(taps, 2)}; \
            id##_with(args, joined, 3);                                                            \
        } else if (args->tap_count == 10) {                                                        \
            int32_t joined[] = {narrow_pair(taps, 0), narrow_pair(taps, 1), narrow_pair(taps, 2),  \
                                narrow_pair(taps, 3), narrow_pair(taps, 4)};                       \
            id##_with(args, joined, 5);                                                            \
        } else {                                                                                   \
            id##_with(args, NULL, args->tap_count / 2);                                            \
        }                                                                                          \
    }

#define PAIR_STORE2(type)                                                                          \
    static inline void pair_store2_##type(pair_acc a, pair_acc b, int32_t shift, int32_t low,      \
                                          int32_t high, SAMPLE_##type *p)                          \
    {                                                                                              \
        pair_store_##type(a, shift, low, high, p);                                                 \
        pair_store_##type(b, shift, low, high, p + PAIR_LANES);                                    \
    }
PAIR_STORE2(u16)
PAIR_STORE2(s16)
#undef PAIR_STORE2

#define PAIR_STORE(units, dst)                                                                     \
    if ((units) == 1)                                                                              \
        pair_store_##dst(acc[0], shift, low, high, result + i);                                    \
    for (int u = 0; u + 1 < (units); u += 2)                                                       \
        pair_store2_##dst(acc[u], acc[u + 1], shift, low, high, result + i + u * PAIR_LANES);

#define PAIR_AT(units, src, dst)                                                                   \
    {                                                                                              \
        pair_acc acc[units];                                                                       \
        for (int u = 0; u < (units); u++)                                                          \
            acc[u] = pair_set(add);                                                                \
        for (int64_t t = 0; t < args->tap_count; t += 2) {                                         \
            const SAMPLE_##src *a = source[t] + i, *b = source[t + 1] + i;                         \
            int32_t both = kernel_join_shorts(taps[t], taps[t + 1]);                               \
            for (int u = 0; u < (units); u++)                                                      \
                acc[u] = pair_add(acc[u], vs_load_##src(a + u * PAIR_LANES),                       \
                                  vs_load_##src(b + u * PAIR_LANES), both);                        \
        }                                                                                          \
        PAIR_STORE(units, dst)                                                                     \
    }

#define DEFINE_PAIR(id, src, dst)                                                                  \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE_##src *const *source = (const SAMPLE_##src *const *)args->source;             \
        const int16_t *taps = args->taps;                                                          \
        SAMPLE_##dst *result = args->result;                                                       \
        int32_t low = (int32_t)args->low, high = (int32_t)args->high;                              \
        int32_t add = (int32_t)args->add, shift = args->shift;                                     \
        EACH_VECTOR(PAIR_LANES, PAIR_AT, src, dst)                                                 \
        EACH_SAMPLE(PAIR_LANES, SAMPLE_##dst)                                                      \
    }

#include "cpu/symmetric_body.h"

/* Computes the sums of `units` vectors of doubles in acc[], at sample i. */
#define WIDE_SUMS(units, src)                                                                      \
    vd acc[units];                                                                                 \
    for (int u = 0; u < (units); u++)                                                              \
        acc[u] = vd_set(start);                                                                    \
    for (int64_t t = 0; t < args->tap_count; t++) {                                                \
        const SAMPLE_##src *a = source[t] + i;                                                     \
        vd tap = vd_set(taps[t]);                                                                  \
        for (int u = 0; u < (units); u++)                                                          \
            acc[u] = vd_add_product(acc[u], tap, vd_load_##src(a + u * WIDE_LANES));               \
    }

#define WIDE_SUM(src)                                                                              \
    double sum = start;                                                                            \
    for (int64_t t = 0; t < args->tap_count; t++)                                                  \
        sum += taps[t] * (double)source[t][i]; /* exact: integers below 2^53 */

#define DIVIDED_AT(units, src, dst)                                                                \
    {                                                                                              \
        WIDE_SUMS(units, src)                                                                      \
        int32_t whole[(units)*WIDE_LANES];                                                         \
        for (int u = 0; u < (units); u++) {                                                        \
            vd v =                                                                                 \
                vd_floor_clamp(vd_mul(acc[u], vd_set(by)), vd_set(args->low), vd_set(args->high)); \
            vd_store_s32(whole + u * WIDE_LANES,                                                   \
                         OFFSET_##dst > 0.0 ? vd_add(v, vd_set(-OFFSET_##dst)) : v);               \
        }                                                                                          \
        for (int u = 0; u < (units)*WIDE_LANES; u++)                                               \
            result[i + u] = (SAMPLE_##dst)((uint32_t)whole[u] + (uint32_t)OFFSET_##dst);           \
    }

#define DEFINE_DIVIDED(id, src, dst, reciprocal, more)                                             \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE_##src *const *source = (const SAMPLE_##src *const *)args->source;             \
        const double *taps = args->taps;                                                           \
        SAMPLE_##dst *result = args->result;                                                       \
        double by = reciprocal, start = args->add_wide + (more);                                   \
        EACH_VECTOR(WIDE_LANES, DIVIDED_AT, src, dst)                                              \
        for (int64_t i = 0; args->count < WIDE_LANES && i < args->count; i++) {                    \
            WIDE_SUM(src)                                                                          \
            double v = clamp_double(floor(sum * by), args->low, args->high);                       \
            result[i] =                                                                            \
                (SAMPLE_##dst)((uint32_t)(int32_t)(v - OFFSET_##dst) + (uint32_t)OFFSET_##dst);    \
        }                                                                                          \
    }

/* Division by a power of two is exact as a multiplication by its reciprocal. */
#define DEFINE_WIDE(id, src, dst) DEFINE_DIVIDED(id, src, dst, ldexp(1.0, -args->shift), 0.0)
/* For any n the floor is exact, too. Sums are multiples of ½, so adding ¼ never reaches the next
 * whole quotient, and keeps whole quotients at least 1/(4n) above their boundary. That is more than
 * the rounding error of a quotient, which is below 2^-52 of it, because sums are below 2^50. */
#define DEFINE_MEAN(id, src, dst) DEFINE_DIVIDED(id, src, dst, 1.0 / args->mean.divisor, 0.25)

#define RAW_AT(units, src)                                                                         \
    {                                                                                              \
        WIDE_SUMS(units, src)                                                                      \
        for (int u = 0; u < (units); u++)                                                          \
            vd_store(result + i + u * WIDE_LANES, acc[u]);                                         \
    }

#define DEFINE_RAW(id, src, dst)                                                                   \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE_##src *const *source = (const SAMPLE_##src *const *)args->source;             \
        const double *taps = args->taps;                                                           \
        double *result = args->result, start = args->add_wide;                                     \
        EACH_VECTOR(WIDE_LANES, RAW_AT, src)                                                       \
        for (int64_t i = 0; args->count < WIDE_LANES && i < args->count; i++) {                    \
            WIDE_SUM(src)                                                                          \
            result[i] = sum;                                                                       \
        }                                                                                          \
    }

/* Only for masks whose sums exceed 2^53. They are rare, so one sample at a time is enough. */
#define DEFINE_LONG(id, src, dst)                                                                  \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE_##src *const *source = (const SAMPLE_##src *const *)args->source;             \
        const int32_t *taps = args->taps;                                                          \
        SAMPLE_##dst *result = args->result;                                                       \
        for (int64_t i = 0, count = args->count; i < count; i++) {                                 \
            int64_t sum = args->add;                                                               \
            for (int64_t t = 0; t < args->tap_count; t++)                                          \
                sum += (int64_t)taps[t] * source[t][i];                                            \
            result[i] = (SAMPLE_##dst)clamp_long(sum >> args->shift, (int64_t)args->low,           \
                                                 (int64_t)args->high);                             \
        }                                                                                          \
    }

/* Bodies for floats and doubles have a parameter `type`, f32 or f64. */
#define SAMPLE(type)        SAMPLE_##type
#define VECTOR(type)        VECTOR_##type
#define VECTOR_f32          vf
#define VECTOR_f64          vd
#define REAL(type, op, ...) REAL_##type(op)(__VA_ARGS__)
#define REAL_NAME(type, op) REAL_##type(op)
#define REAL_f32(op)        vf_##op
#define REAL_f64(op)        vd_##op
#define REAL_LANES(type)    REAL_LANES_##type
#define REAL_LANES_f32      FLOAT_LANES
#define REAL_LANES_f64      WIDE_LANES
/* A vector of the type of the sums, from samples of the same type or of integers. */
#define LOAD_AS(src, type, p) LOAD_##src(type, p)
#define LOAD_f32(type, p)     REAL(type, load, p)
#define LOAD_f64(type, p)     REAL(type, load, p)
#define LOAD_u8(type, p)      REAL(type, load_u8, p)
#define LOAD_u16(type, p)     REAL(type, load_u16, p)
#define LOAD_s16(type, p)     REAL(type, load_s16, p)

#define SCALAR_FMA(type)      SCALAR_FMA_##type
#define SCALAR_FMA_f32        fmaf
#define SCALAR_FMA_f64        fma

/* Computes `units` vectors at sample i and stores them with `store` at `to`. */
#define FLOAT_AT(units, type, store, to)                                                           \
    {                                                                                              \
        VECTOR(type) acc[units];                                                                   \
        for (int u = 0; u < (units); u++)                                                          \
            acc[u] = REAL(type, set, 0);                                                           \
        for (int64_t t = 0; t < args->tap_count; t++) {                                            \
            const SAMPLE(type) *a = source[t] + i;                                                 \
            VECTOR(type) tap = REAL(type, set, taps[t]);                                           \
            for (int u = 0; u < (units); u++)                                                      \
                acc[u] = REAL(type, fma, acc[u], tap, REAL(type, load, a + u * REAL_LANES(type))); \
        }                                                                                          \
        for (int u = 0; u < (units); u++)                                                          \
            store((to) + i + u * REAL_LANES(type),                                                 \
                  REAL(type, clamp,                                                                \
                       REAL(type, add, acc[u], REAL(type, set, (SAMPLE(type))args->bias)),         \
                       REAL(type, set, low), REAL(type, set, high)));                              \
    }

/* Stores whole cache lines of the result without the caches. Rows must have a whole line, or
 * vector, after the samples before the first line. */
#define FLOAT_STREAM(type, count)                                                                  \
    if (args->stream && (count) >= 64 / (int64_t)sizeof *result + 2 * UNROLL * REAL_LANES(type)) { \
        int64_t i = 0;                                                                             \
        for (; i < BEFORE_LINE(result); i += REAL_LANES(type))                                     \
            FLOAT_AT(1, type, REAL_NAME(type, store), result)                                      \
        for (i = BEFORE_LINE(result); i + UNROLL * REAL_LANES(type) <= (count);                    \
             i += UNROLL * REAL_LANES(type))                                                       \
            FLOAT_AT(UNROLL, type, REAL_NAME(type, stream), result)                                \
        done = i;                                                                                  \
    }

#define DEFINE_FLOATS(id, type, scalar_add)                                                        \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE(type) *const *source = (const SAMPLE(type) *const *)args->source;             \
        const SAMPLE(type) *taps = args->taps;                                                     \
        SAMPLE(type) *result = args->result, low = (SAMPLE(type))args->low,                        \
                     high = (SAMPLE(type))args->high;                                              \
        int64_t done = 0;                                                                          \
        FLOAT_STREAM(type, args->count)                                                            \
        EACH_VECTOR_FROM(done, REAL_LANES(type), FLOAT_AT, type, REAL_NAME(type, store), result)   \
        for (int64_t i = 0; args->count < REAL_LANES(type) && i < args->count; i++) {              \
            SAMPLE(type) sum = 0;                                                                  \
            for (int64_t t = 0; t < args->tap_count; t++)                                          \
                sum = scalar_add(taps[t], source[t][i], sum);                                      \
            sum += (SAMPLE(type))args->bias;                                                       \
            result[i] = sum < low ? low : sum > high ? high : sum;                                 \
        }                                                                                          \
    }

#define PLAIN_ADD(a, b, sum) ((sum) + (a) * (b))
#if HAVE_FMA
#define DEFINE_FLOAT(id, src, dst) DEFINE_FLOATS(id, src, SCALAR_FMA(src))
#define DEFINE_FAST(id, src, dst)  /* the exact kernel is as fast */
#else
#define DEFINE_FLOAT(id, src, dst) /* no exact float kernel */
#define DEFINE_FAST(id, src, dst)  DEFINE_FLOATS(id, src, PLAIN_ADD)
#endif

#include "cpu/alpha_body.h"
#include "cpu/convert_body.h"
#include "cpu/quotient_body.h"

/* Sums of u8 may fit 15 bits, most others 31; doubles hold all exactly. */
#define DEFINE_SLIDE(id, src, dst)                                                                 \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE_##src *restrict entering = args->source[0];                                   \
        const SAMPLE_##src *restrict leaving = args->source[1];                                    \
        SAMPLE_##dst *restrict sums = args->result;                                                \
        for (int64_t i = 0, count = args->count; i < count; i++)                                   \
            sums[i] = (SAMPLE_##dst)(sums[i] + entering[i] - leaving[i]);                          \
    }

#include "cpu/hypot_body.h"
#include "cpu/light_steps.h"
#include "cpu/look_up_body.h"

#define DEFINE_STEP(id, src, dst)                                                                  \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const struct kernel_steps *s = args->taps;                                                 \
        const float *p = args->source[0];                                                          \
        uint8_t *result = args->result;                                                            \
        for (int64_t i = steps_vectors(s, p, result, args->count); i < args->count; i++) {         \
            float light = p[i] > s->lowest ? p[i] : s->lowest; /* also if it is NaN */             \
            uint32_t at;                                                                           \
            light = light < s->highest ? light : s->highest;                                       \
            memcpy(&at, &light, sizeof at);                                                        \
            at -= s->first;                                                                        \
            result[i] = (uint8_t)((s->buckets[at >> 16] + (at & 0xffff)) >> 16);                   \
        }                                                                                          \
    }

#include "cpu/running_body.h"

#if HAVE_RUNNING
#include "cpu/running_avx512.h"
#define RUNNING_s16(id, src, dst)                                                                  \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        id(args);                                                                                  \
    }
#else
#define RUNNING_s16(id, src, dst) DEFINE_RUNNING_BY_LANES(id, src, dst)
#endif
#define RUNNING_s32(id, src, dst)    DEFINE_RUNNING_BY_LANES(id, src, dst)
#define DEFINE_RUNNING(id, src, dst) RUNNING_##src(id, src, dst)

#if HAVE_ACROSS
#include "cpu/across_avx512.h"
#define DEFINE_ACROSS(id, src, dst)                                                                \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        id(args);                                                                                  \
    }
#define ENTRY_ACROSS(id) KERNEL_NAME(ISA_ID, id)
#else
#define DEFINE_ACROSS(id, src, dst) /* row by row is as fast */
#define ENTRY_ACROSS(id)            0
#endif

#include "cpu/multirow_body.h"
#include "cpu/paired_body.h"
#include "cpu/passes_body.h"
#include "cpu/weighted_body.h"

#include "cpu/byte_passes_body.h" /* after multirow_body.h */

#if HAVE_DOT_ADD
#define KERNEL(id, sum, source, result) /* that of the instruction set below */
#else
#define KERNEL DOT_KERNEL
#endif

#define DOT_KERNEL(id, sum, source, result) DEFINE_##sum(id, source, result)
#include "cpu/kernels.def"

#define ENTRY_NARROW(id)          KERNEL_NAME(ISA_ID, id)
#define ENTRY_SHORT(id)           KERNEL_NAME(ISA_ID, id)
#define ENTRY_PAIR(id)            KERNEL_NAME(ISA_ID, id)
#define ENTRY_WIDE(id)            KERNEL_NAME(ISA_ID, id)
#define ENTRY_MEAN(id)            KERNEL_NAME(ISA_ID, id)
#define ENTRY_RAW(id)             KERNEL_NAME(ISA_ID, id)
#define ENTRY_LONG(id)            KERNEL_NAME(ISA_ID, id)
#define ENTRY_CONVERT(id)         KERNEL_NAME(ISA_ID, id)
#define ENTRY_HYPOT(id)           KERNEL_NAME(ISA_ID, id)
#define ENTRY_QUOTIENT(id)        KERNEL_NAME(ISA_ID, id)
#define ENTRY_ALPHA_MULTIPLY(id)  KERNEL_NAME(ISA_ID, id)
#define ENTRY_ALPHA_DIVIDE(id)    KERNEL_NAME(ISA_ID, id)
#define ENTRY_STEP(id)            KERNEL_NAME(ISA_ID, id)
#define ENTRY_LOOK_UP(id)         KERNEL_NAME(ISA_ID, id)
#define ENTRY_SLIDE(id)           KERNEL_NAME(ISA_ID, id)
#define ENTRY_RUNNING(id)         KERNEL_NAME(ISA_ID, id)
#define ENTRY_NARROW_MULTIROW(id) KERNEL_NAME(ISA_ID, id)
#define ENTRY_SPLIT_MULTIROW(id)  KERNEL_NAME(ISA_ID, id)
#define ENTRY_PAIR_MULTIROW(id)   KERNEL_NAME(ISA_ID, id)
#define ENTRY_SHORT_PASSES(id)    KERNEL_NAME(ISA_ID, id)
#define ENTRY_FOLDED_PASSES(id)   KERNEL_NAME(ISA_ID, id)
#if HAVE_FMA
/* The exact kernels in place of fast ones. */
#define EXACT_fast_f32_f32          float_f32_f32
#define EXACT_fast_f64_f64          float_f64_f64
#define EXACT_fast_multirow_f32_f32 float_multirow_f32_f32
#define EXACT_fast_multirow_f64_f64 float_multirow_f64_f64
#define EXACT_fast_passes_f32_f32   float_passes_f32_f32
#define EXACT_fast_passes_f64_f64   float_passes_f64_f64
#define ENTRY_FLOAT_MULTIROW(id)    KERNEL_NAME(ISA_ID, id)
#define ENTRY_FAST_MULTIROW(id)     KERNEL_NAME(ISA_ID, EXACT_##id)
#define ENTRY_FLOAT(id)             KERNEL_NAME(ISA_ID, id)
#define ENTRY_FAST(id)              KERNEL_NAME(ISA_ID, EXACT_##id)
#else
#define ENTRY_FLOAT_MULTIROW(id) 0
#define ENTRY_FAST_MULTIROW(id)  KERNEL_NAME(ISA_ID, id)
#define ENTRY_FLOAT(id)          0
#define ENTRY_FAST(id)           KERNEL_NAME(ISA_ID, id)
#endif

extern const int ROWS_NAME(ISA_ID)[KERNEL_HEIGHTS];
const int ROWS_NAME(ISA_ID)[KERNEL_HEIGHTS] = {U8_HEIGHT, FLOAT_HEIGHT, PASSES_HEIGHT,
                                               WEIGHTED_HEIGHT};

extern kernel *const TABLE_NAME(ISA_ID)[KERNEL_COUNT];
kernel *const TABLE_NAME(ISA_ID)[KERNEL_COUNT] = {
#define DOT_KERNEL(id, sum, source, result) [KERNEL_##id] = ENTRY_##sum(id),
#include "cpu/kernels.def"
};
