/* Bodies of the kernels that apply both passes of a float filter. The passes take turns, so that a
 * part of the rows between them is still in the first-level cache when the second pass reads it. */

_Static_assert(MULTIROW_HEIGHT == 2 || MULTIROW_HEIGHT == 4, "DOWN_AT adds these rows");

/* Samples that the first pass computes at once, and those of a part: whole groups. */
#define DOWN_GROUP(type)  (MULTIROW_VECTORS * REAL_LANES(type))
#define PASSES_STEP(type) (512 / DOWN_GROUP(type) * DOWN_GROUP(type))

/* A vector of the type of the sums, from samples of the same type or of integers. */
#define LOAD_AS(src, type, p) LOAD_##src(type, p)
#define LOAD_f32(type, p)     REAL(type, load, p)
#define LOAD_f64(type, p)     REAL(type, load, p)
#define LOAD_u8(type, p)      REAL(type, load_u8, p)
#define LOAD_u16(type, p)     REAL(type, load_u16, p)
#define LOAD_s16(type, p)     REAL(type, load_s16, p)

/* Adds the samples of source row j to the sums of rows first … last. */
#define DOWN_ADD(units, src, type, j, first, last)                                                 \
    {                                                                                              \
        VECTOR(type) v[units];                                                                     \
        for (int u = 0; u < (units); u++)                                                          \
            v[u] = LOAD_AS(src, type, source[j] + i + u * REAL_LANES(type));                       \
        for (int y = first; y <= (last); y++) {                                                    \
            VECTOR(type) tap = REAL(type, set, taps[(j)-y]);                                       \
            for (int u = 0; u < (units); u++)                                                      \
                acc[y][u] = REAL(type, fma, acc[y][u], tap, v[u]);                                 \
        }                                                                                          \
    }

/* Computes `units` vectors of every row between the passes, at sample i. */
#define DOWN_AT(units, src, type, taps, rows)                                                      \
    {                                                                                              \
        enum { LAST = MULTIROW_HEIGHT - 1, FOUR = LAST > 1 };                                      \
        VECTOR(type) acc[4][units];                                                                \
        for (int y = 0; y < 4; y++)                                                                \
            for (int u = 0; u < (units); u++)                                                      \
                acc[y][u] = REAL(type, set, 0);                                                    \
        DOWN_ADD(units, src, type, 0, 0, 0)                                                        \
        if (FOUR) {                                                                                \
            DOWN_ADD(units, src, type, 1, 0, 1)                                                    \
            DOWN_ADD(units, src, type, 2, 0, 2)                                                    \
        }                                                                                          \
        for (int32_t j = LAST; j < (rows); j++)                                                    \
            DOWN_ADD(units, src, type, j, 0, LAST)                                                 \
        DOWN_ADD(units, src, type, rows, 1, LAST)                                                  \
        if (FOUR) {                                                                                \
            DOWN_ADD(units, src, type, (rows) + 1, 2, LAST)                                        \
            DOWN_ADD(units, src, type, (rows) + 2, 3, LAST)                                        \
        }                                                                                          \
        for (int y = 0; y < MULTIROW_HEIGHT; y++)                                                  \
            for (int u = 0; u < (units); u++)                                                      \
                REAL(type, store, middle + y * pitch + i + u * REAL_LANES(type),                   \
                     REAL(type, add, acc[y][u], REAL(type, set, 0)));                              \
    }

/* Computes `units` vectors of a row of results, at sample i. */
#define ALONG_AT(units, type, store, to)                                                           \
    {                                                                                              \
        VECTOR(type) acc[units];                                                                   \
        for (int u = 0; u < (units); u++)                                                          \
            acc[u] = REAL(type, set, 0);                                                           \
        for (int64_t t = 0; t < args->tap_count; t++) {                                            \
            const SAMPLE(type) *a = row + i + t * args->apart;                                     \
            VECTOR(type) tap = REAL(type, set, along[t]);                                          \
            for (int u = 0; u < (units); u++)                                                      \
                acc[u] = REAL(type, fma, acc[u], tap, REAL(type, load, a + u * REAL_LANES(type))); \
        }                                                                                          \
        for (int u = 0; u < (units); u++)                                                          \
            store((to) + i + u * REAL_LANES(type),                                                 \
                  REAL(type, clamp,                                                                \
                       REAL(type, add, acc[u], REAL(type, set, (SAMPLE(type))args->bias)),         \
                       REAL(type, set, low), REAL(type, set, high)));                              \
    }

/* The second pass over a row, as far as samples up to `ready` allow; returns the first sample that
 * is left. */
#define DEFINE_PASSES_ALONG(id, type)                                                              \
    static inline int64_t along_##id(const struct kernel_args *args, int y,                        \
                                     const SAMPLE(type) * row, int64_t done, int64_t ready)        \
    {                                                                                              \
        enum { GROUP = UNROLL * REAL_LANES(type) };                                                \
        const SAMPLE(type) *along = (const SAMPLE(type) *)args->taps + args->rows.mask_rows;       \
        const SAMPLE(type) low = (SAMPLE(type))args->low, high = (SAMPLE(type))args->high;         \
        SAMPLE(type) *result = args->rows.results[y];                                              \
        int64_t i = done;                                                                          \
        if (!args->stream || args->count < 2 * GROUP)                                              \
            for (; i + GROUP <= ready; i += GROUP)                                                 \
                ALONG_AT(UNROLL, type, REAL_NAME(type, store), result)                             \
        else {                                                                                     \
            for (; i < BEFORE_LINE(result); i += REAL_LANES(type))                                 \
                ALONG_AT(1, type, REAL_NAME(type, store), result)                                  \
            for (i = done > 0 ? done : BEFORE_LINE(result); i + GROUP <= ready; i += GROUP)        \
                ALONG_AT(UNROLL, type, REAL_NAME(type, stream), result)                            \
        }                                                                                          \
        for (int64_t next = i; ready == args->count && next < ready; next += REAL_LANES(type)) {   \
            i = place_vector(next, REAL_LANES(type), ready);                                       \
            if (i < 0)                                                                             \
                break;                                                                             \
            ALONG_AT(1, type, REAL_NAME(type, store), result)                                      \
        }                                                                                          \
        return i;                                                                                  \
    }

/* The first pass over samples `from` … `upto` - 1. */
#define DEFINE_PASSES_DOWN(id, src, type)                                                          \
    static inline void down_##id(const struct kernel_args *args, SAMPLE(type) * middle,            \
                                 int64_t pitch, int64_t from, int64_t upto)                        \
    {                                                                                              \
        const SAMPLE(src) *const *source = (const SAMPLE(src) *const *)args->source;               \
        const SAMPLE(type) *taps = args->taps;                                                     \
        int64_t i = from;                                                                          \
        for (int64_t at = from; at + DOWN_GROUP(type) <= upto; at += DOWN_GROUP(type)) {           \
            i = at;                                                                                \
            PREFETCH_AHEAD(DOWN_GROUP(type));                                                      \
            DOWN_AT(MULTIROW_VECTORS, src, type, taps, args->rows.mask_rows)                       \
            i += DOWN_GROUP(type);                                                                 \
        }                                                                                          \
        for (int64_t next = i; next < upto; next += REAL_LANES(type)) {                            \
            i = place_vector(next, REAL_LANES(type), upto);                                        \
            DOWN_AT(1, src, type, taps, args->rows.mask_rows)                                      \
        }                                                                                          \
    }

/* Rows of less than a vector. */
#define DEFINE_PASSES_SHORT(id, src, type, scalar_add)                                             \
    static inline void short_##id(const struct kernel_args *args, SAMPLE(type) * middle)           \
    {                                                                                              \
        const SAMPLE(type) *taps = args->taps, *along = taps + args->rows.mask_rows;               \
        const SAMPLE(type) low = (SAMPLE(type))args->low, high = (SAMPLE(type))args->high;         \
        for (int y = 0; y < args->rows.height; y++) {                                              \
            SAMPLE(type) *result = args->rows.results[y];                                          \
            for (int64_t i = 0; i < args->count + (args->tap_count - 1) * args->apart; i++) {      \
                middle[i] = 0;                                                                     \
                for (int32_t j = 0; j < args->rows.mask_rows; j++)                                 \
                    middle[i] = scalar_add(                                                        \
                        taps[j], (SAMPLE(type))((const SAMPLE(src) *)args->source[y + j])[i],      \
                        middle[i]);                                                                \
                middle[i] += 0;                                                                    \
            }                                                                                      \
            for (int64_t i = 0; i < args->count; i++) {                                            \
                SAMPLE(type) sum = 0;                                                              \
                for (int64_t t = 0; t < args->tap_count; t++)                                      \
                    sum = scalar_add(along[t], middle[i + t * args->apart], sum);                  \
                sum += (SAMPLE(type))args->bias;                                                   \
                result[i] = sum < low ? low : sum > high ? high : sum;                             \
            }                                                                                      \
        }                                                                                          \
    }

#define DEFINE_FLOAT_PASSES_WITH(id, src, type, scalar_add)                                        \
    DEFINE_PASSES_DOWN(id, src, type)                                                              \
    DEFINE_PASSES_ALONG(id, type)                                                                  \
    DEFINE_PASSES_SHORT(id, src, type, scalar_add)                                                 \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const int64_t halo = (args->tap_count - 1) * args->apart, all = args->count + halo;        \
        const int64_t pitch = kernel_passes_pitch(all, sizeof(SAMPLE(type)));                      \
        SAMPLE(type) *middle = args->rows.scratch;                                                 \
        int64_t done[MULTIROW_HEIGHT] = {0}, upto;                                                 \
        if (args->count < REAL_LANES(type)) {                                                      \
            short_##id(args, middle);                                                              \
            return;                                                                                \
        }                                                                                          \
        for (int64_t from = 0; from < all; from = upto) {                                          \
            upto = from + PASSES_STEP(type);                                                       \
            upto += from == 0                                                                      \
                        ? (halo + DOWN_GROUP(type) - 1) / DOWN_GROUP(type) * DOWN_GROUP(type)      \
                        : 0;                                                                       \
            upto = upto + REAL_LANES(type) <= all ? upto : all;                                    \
            down_##id(args, middle, pitch, from, upto);                                            \
            for (int y = 0; y < args->rows.height; y++)                                            \
                done[y] = along_##id(args, y, middle + y * pitch, done[y], upto - halo);           \
        }                                                                                          \
    }

#if HAVE_FMA
#define DEFINE_FLOAT_PASSES(id, src, dst) DEFINE_FLOAT_PASSES_WITH(id, src, dst, SCALAR_FMA(dst))
#define DEFINE_FAST_PASSES(id, src, dst)  /* the exact kernel is as fast */
#define ENTRY_FLOAT_PASSES(id)            KERNEL_NAME(ISA_ID, id)
#define ENTRY_FAST_PASSES(id)             KERNEL_NAME(ISA_ID, EXACT_##id)
#else
#define DEFINE_FLOAT_PASSES(id, src, dst) /* no exact float kernel */
#define DEFINE_FAST_PASSES(id, src, dst)  DEFINE_FLOAT_PASSES_WITH(id, src, dst, PLAIN_ADD)
#define ENTRY_FLOAT_PASSES(id)            0
#define ENTRY_FAST_PASSES(id)             KERNEL_NAME(ISA_ID, id)
#endif
