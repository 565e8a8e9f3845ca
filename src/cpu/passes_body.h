/* Bodies of the kernels that apply both passes of a float filter. The passes take turns, so that a
 * part of the rows between them is still in the first-level cache when the second pass reads it. */

_Static_assert(MULTIROW_HEIGHT == 2 || MULTIROW_HEIGHT == 4, "DOWN_AT adds these rows");

/* Samples that the first pass computes at once, and those of a part: whole groups. */
enum { DOWN_GROUP = MULTIROW_VECTORS * FLOAT_LANES, PASSES_STEP = 512 / DOWN_GROUP * DOWN_GROUP };

/* Adds the samples of source row j to the sums of rows first … last. */
#define DOWN_ADD(units, j, first, last)                                                            \
    {                                                                                              \
        vf v[units];                                                                               \
        for (int u = 0; u < (units); u++)                                                          \
            v[u] = vf_load(source[j] + i + u * FLOAT_LANES);                                       \
        for (int y = first; y <= (last); y++) {                                                    \
            vf tap = vf_set(taps[(j)-y]);                                                          \
            for (int u = 0; u < (units); u++)                                                      \
                acc[y][u] = vf_fma(acc[y][u], tap, v[u]);                                          \
        }                                                                                          \
    }

/* Computes `units` vectors of every row between the passes, at sample i. */
#define DOWN_AT(units, taps, rows)                                                                 \
    {                                                                                              \
        enum { LAST = MULTIROW_HEIGHT - 1, FOUR = LAST > 1 };                                      \
        vf acc[4][units];                                                                          \
        for (int y = 0; y < 4; y++)                                                                \
            for (int u = 0; u < (units); u++)                                                      \
                acc[y][u] = vf_set(0.0f);                                                          \
        DOWN_ADD(units, 0, 0, 0)                                                                   \
        if (FOUR) {                                                                                \
            DOWN_ADD(units, 1, 0, 1)                                                               \
            DOWN_ADD(units, 2, 0, 2)                                                               \
        }                                                                                          \
        for (int32_t j = LAST; j < (rows); j++)                                                    \
            DOWN_ADD(units, j, 0, LAST)                                                            \
        DOWN_ADD(units, rows, 1, LAST)                                                             \
        if (FOUR) {                                                                                \
            DOWN_ADD(units, (rows) + 1, 2, LAST)                                                   \
            DOWN_ADD(units, (rows) + 2, 3, LAST)                                                   \
        }                                                                                          \
        for (int y = 0; y < MULTIROW_HEIGHT; y++)                                                  \
            for (int u = 0; u < (units); u++)                                                      \
                vf_store(middle + y * pitch + i + u * FLOAT_LANES,                                 \
                         vf_add(acc[y][u], vf_set(0.0f)));                                         \
    }

/* Computes `units` vectors of a row of results, at sample i. */
#define ALONG_AT(units, store, to)                                                                 \
    {                                                                                              \
        vf acc[units];                                                                             \
        for (int u = 0; u < (units); u++)                                                          \
            acc[u] = vf_set(0.0f);                                                                 \
        for (int64_t t = 0; t < args->tap_count; t++) {                                            \
            const float *a = row + i + t * args->apart;                                            \
            vf tap = vf_set(along[t]);                                                             \
            for (int u = 0; u < (units); u++)                                                      \
                acc[u] = vf_fma(acc[u], tap, vf_load(a + u * FLOAT_LANES));                        \
        }                                                                                          \
        for (int u = 0; u < (units); u++)                                                          \
            store((to) + i + u * FLOAT_LANES,                                                      \
                  vf_clamp(vf_add(acc[u], vf_set(args->bias)), vf_set(low), vf_set(high)));        \
    }

/* The second pass over a row, as far as samples up to `ready` allow; returns the first sample that
 * is left. Groups of vectors go to cache lines of the drain's target if there is one. */
#define DEFINE_PASSES_ALONG(id)                                                                    \
    static inline int64_t along_##id(const struct kernel_args *args, int y, const float *row,      \
                                     int64_t done, int64_t ready)                                  \
    {                                                                                              \
        enum { GROUP = UNROLL * FLOAT_LANES };                                                     \
        const float *along = (const float *)args->taps + args->mask_rows;                          \
        const float low = (float)args->low, high = (float)args->high;                              \
        struct kernel_drain *drain = args->drain ? &args->drain[y] : NULL;                         \
        float *result = args->results[y];                                                          \
        int64_t i = done;                                                                          \
        if (!drain)                                                                                \
            for (; i + GROUP <= ready; i += GROUP)                                                 \
                ALONG_AT(UNROLL, vf_store, result)                                                 \
        else if (args->count >= 2 * GROUP) {                                                       \
            float *to = (float *)(void *)drain->to;                                                \
            for (; i < drain->first / (int64_t)sizeof(float); i += FLOAT_LANES)                    \
                ALONG_AT(1, vf_store, result)                                                      \
            i = done > 0 ? done : drain->first / (int64_t)sizeof(float);                           \
            for (; i + GROUP <= ready; i += GROUP)                                                 \
                ALONG_AT(UNROLL, vf_stream, to)                                                    \
            drain->last = i * (int64_t)sizeof(float);                                              \
        }                                                                                          \
        for (int64_t next = i; ready == args->count && next < ready; next += FLOAT_LANES) {        \
            i = place_vector(next, FLOAT_LANES, ready);                                            \
            if (i < 0)                                                                             \
                break;                                                                             \
            ALONG_AT(1, vf_store, result)                                                          \
        }                                                                                          \
        return i;                                                                                  \
    }

/* The first pass over samples `from` … `upto` - 1. */
#define DEFINE_PASSES_DOWN(id)                                                                     \
    static inline void down_##id(const struct kernel_args *args, float *middle, int64_t pitch,     \
                                 int64_t from, int64_t upto)                                       \
    {                                                                                              \
        const float *const *source = (const float *const *)args->source;                           \
        const float *taps = args->taps;                                                            \
        int64_t i = from;                                                                          \
        for (int64_t at = from; at + DOWN_GROUP <= upto; at += DOWN_GROUP) {                       \
            i = at;                                                                                \
            PREFETCH_AHEAD(DOWN_GROUP);                                                            \
            DOWN_AT(MULTIROW_VECTORS, taps, args->mask_rows)                                       \
            i += DOWN_GROUP;                                                                       \
        }                                                                                          \
        for (int64_t next = i; next < upto; next += FLOAT_LANES) {                                 \
            i = place_vector(next, FLOAT_LANES, upto);                                             \
            DOWN_AT(1, taps, args->mask_rows)                                                      \
        }                                                                                          \
    }

/* Rows of less than a vector. */
#define DEFINE_PASSES_SHORT(id, scalar_add)                                                        \
    static inline void short_##id(const struct kernel_args *args, float *middle)                   \
    {                                                                                              \
        const float *taps = args->taps, *along = taps + args->mask_rows;                           \
        const float low = (float)args->low, high = (float)args->high;                              \
        for (int y = 0; y < args->height; y++) {                                                   \
            float *result = args->results[y];                                                      \
            for (int64_t i = 0; i < args->count + (args->tap_count - 1) * args->apart; i++) {      \
                middle[i] = 0.0f;                                                                  \
                for (int32_t j = 0; j < args->mask_rows; j++)                                      \
                    middle[i] =                                                                    \
                        scalar_add(taps[j], ((const float *)args->source[y + j])[i], middle[i]);   \
                middle[i] += 0.0f;                                                                 \
            }                                                                                      \
            for (int64_t i = 0; i < args->count; i++) {                                            \
                float sum = 0.0f;                                                                  \
                for (int64_t t = 0; t < args->tap_count; t++)                                      \
                    sum = scalar_add(along[t], middle[i + t * args->apart], sum);                  \
                sum += args->bias;                                                                 \
                result[i] = sum < low ? low : sum > high ? high : sum;                             \
            }                                                                                      \
        }                                                                                          \
    }

#define DEFINE_FLOAT_PASSES_WITH(id, scalar_add)                                                   \
    DEFINE_PASSES_DOWN(id)                                                                         \
    DEFINE_PASSES_ALONG(id)                                                                        \
    DEFINE_PASSES_SHORT(id, scalar_add)                                                            \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const int64_t halo = (args->tap_count - 1) * args->apart, all = args->count + halo;        \
        const int64_t pitch = kernel_passes_pitch(all);                                            \
        float *middle = args->scratch;                                                             \
        int64_t done[MULTIROW_HEIGHT] = {0}, upto;                                                 \
        if (args->count < FLOAT_LANES) {                                                           \
            short_##id(args, middle);                                                              \
            return;                                                                                \
        }                                                                                          \
        for (int64_t from = 0; from < all; from = upto) {                                          \
            upto = from + PASSES_STEP;                                                             \
            upto += from == 0 ? (halo + DOWN_GROUP - 1) / DOWN_GROUP * DOWN_GROUP : 0;             \
            upto = upto + FLOAT_LANES <= all ? upto : all;                                         \
            down_##id(args, middle, pitch, from, upto);                                            \
            for (int y = 0; y < args->height; y++)                                                 \
                done[y] = along_##id(args, y, middle + y * pitch, done[y], upto - halo);           \
        }                                                                                          \
    }

#if HAVE_FMA
#define DEFINE_FLOAT_PASSES(id, src, dst) DEFINE_FLOAT_PASSES_WITH(id, fmaf)
#define DEFINE_FAST_PASSES(id, src, dst)  /* the exact kernel is as fast */
#define ENTRY_FLOAT_PASSES(id)            KERNEL_NAME(ISA_ID, id)
#define ENTRY_FAST_PASSES(id)             KERNEL_NAME(ISA_ID, float_passes_f32_f32)
#else
#define DEFINE_FLOAT_PASSES(id, src, dst) /* no exact float kernel */
#define DEFINE_FAST_PASSES(id, src, dst)  DEFINE_FLOAT_PASSES_WITH(id, PLAIN_ADD)
#define ENTRY_FLOAT_PASSES(id)            0
#define ENTRY_FAST_PASSES(id)             KERNEL_NAME(ISA_ID, id)
#endif
