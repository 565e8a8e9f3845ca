/* Bodies of the kernels that apply both passes of a float filter. The passes take turns: a part of
 * the rows between them stays in the first-level cache, and what the next part needs of it moves to
 * the front. */

enum { PASSES_HEIGHT = 4, ALONG_ROWS = 2 /* of the second pass at once */ };

/* Samples that each pass computes at once, and those of a part: whole groups. */
#define DOWN_GROUP(type)  (PASSES_VECTORS * REAL_LANES(type))
#define ALONG_GROUP(type) (UNROLL * REAL_LANES(type))
_Static_assert(PASSES_VECTORS <= UNROLL, "rows that are too short begin within the buffer");
#define PASSES_STEP(type) (KERNEL_PASSES_STEP / DOWN_GROUP(type) * DOWN_GROUP(type))

#if HAVE_LINES
#include "cpu/rotated_avx512.h"
#else
static inline bool rotated_passes(const struct kernel_args *args)
{
    (void)args;
    return false;
}
#endif

/* Computes `units` vectors of every row between the passes, from sample i on, at `to`. */
#define DOWN_AT(units, src, type, to)                                                              \
    {                                                                                              \
        enum { LAST = PASSES_HEIGHT - 1 };                                                         \
        VECTOR(type) acc[FLOAT_ROWS][units];                                                       \
        FLOAT_CLEAR(type, PASSES_HEIGHT, units)                                                    \
        FLOAT_FIRST_ROWS(DOWN_ROW_##src, type, units, PASSES_HEIGHT)                               \
        for (int32_t r = LAST; r < rows; r++)                                                      \
            DOWN_ROW(src, type, r, units, 0, LAST)                                                 \
        FLOAT_LAST_ROWS(DOWN_ROW_##src, type, units, PASSES_HEIGHT)                                \
        UNROLLED                                                                                   \
        for (int y = 0; y < PASSES_HEIGHT; y++) {                                                  \
            UNROLLED                                                                               \
            for (int u = 0; u < (units); u++)                                                      \
                REAL(type, store, (to) + y * pitch + u * REAL_LANES(type),                         \
                     REAL(type, add, acc[y][u], REAL(type, set, 0)));                              \
        }                                                                                          \
    }
#define DOWN_ROW(src, type, row, units, first, last)                                               \
    {                                                                                              \
        const SAMPLE(type) *taps = (const SAMPLE(type) *)args->taps + (row);                       \
        FLOAT_COLUMN(src, type, source[row] + i, FLOAT_TAP, units, first, last)                    \
    }
#define DOWN_ROW_u8(...)  DOWN_ROW(u8, __VA_ARGS__)
#define DOWN_ROW_u16(...) DOWN_ROW(u16, __VA_ARGS__)
#define DOWN_ROW_s16(...) DOWN_ROW(s16, __VA_ARGS__)
#define DOWN_ROW_f32(...) DOWN_ROW(f32, __VA_ARGS__)
#define DOWN_ROW_f64(...) DOWN_ROW(f64, __VA_ARGS__)

/* The first pass over samples from … upto - 1; that at `from` is at `to`. */
#define DEFINE_PASSES_DOWN(id, src, type)                                                          \
    static inline void down_##id(const struct kernel_args *args, SAMPLE(type) * to, int64_t pitch, \
                                 int64_t from, int64_t upto)                                       \
    {                                                                                              \
        const SAMPLE(src) *const *source = (const SAMPLE(src) *const *)args->source;               \
        const int32_t rows = args->rows.mask_rows;                                                 \
        for (int64_t at = from; upto >= DOWN_GROUP(type) && at < upto; at += DOWN_GROUP(type)) {   \
            const int64_t i = place_vector(at, DOWN_GROUP(type), upto);                            \
            PREFETCH_AHEAD(DOWN_GROUP(type));                                                      \
            DOWN_AT(PASSES_VECTORS, src, type, to + (i - from))                                    \
        }                                                                                          \
        for (int64_t at = from; upto < DOWN_GROUP(type) && at < upto; at += REAL_LANES(type)) {    \
            const int64_t i = place_vector(at, REAL_LANES(type), upto);                            \
            DOWN_AT(1, src, type, to + (i - from))                                                 \
        }                                                                                          \
    }

/* Computes `units` vectors of ALONG_ROWS rows of results, at sample i. */
#define ALONG_AT(units, type)                                                                      \
    {                                                                                              \
        VECTOR(type) acc[ALONG_ROWS][units];                                                       \
        const SAMPLE(type) * a[ALONG_ROWS];                                                        \
        FLOAT_CLEAR(type, ALONG_ROWS, units)                                                       \
        UNROLLED                                                                                   \
        for (int k = 0; k < ALONG_ROWS; k++)                                                       \
            a[k] = row + k * pitch + (i - done);                                                   \
        for (int64_t t = 0; t < args->tap_count; t++) {                                            \
            const VECTOR(type) tap = REAL(type, set, along[t]);                                    \
            UNROLLED                                                                               \
            for (int k = 0; k < ALONG_ROWS; k++) {                                                 \
                UNROLLED                                                                           \
                for (int u = 0; u < (units); u++)                                                  \
                    acc[k][u] = REAL(type, fma, acc[k][u], tap,                                    \
                                     REAL(type, load, a[k] + u * REAL_LANES(type)));               \
                a[k] += args->apart;                                                               \
            }                                                                                      \
        }                                                                                          \
        UNROLLED                                                                                   \
        for (int k = ALONG_ROWS - 1; k >= 0; k--) {                                                \
            prefetch_result(result[k] + (i - first),                                               \
                            (units)*REAL_LANES(type) * (int64_t)sizeof **result);                  \
            UNROLLED                                                                               \
            for (int u = 0; u < (units); u++)                                                      \
                REAL(type, store, result[k] + (i - first) + u * REAL_LANES(type),                  \
                     REAL(type, clamp, REAL(type, add, acc[k][u], bias), low, high));              \
        }                                                                                          \
    }

/* The second pass over ALONG_ROWS rows, as far as samples up to `ready` allow; returns the first
 * sample that is left. `row` has those between the passes, from `done` on, and `result` the results
 * from `first` on. */
#define DEFINE_PASSES_ALONG(id, type)                                                              \
    static inline ALWAYS_INLINE int64_t along_##id(                                                \
        const struct kernel_args *args, SAMPLE(type) *const *result, int64_t first,                \
        const SAMPLE(type) * row, int64_t pitch, int64_t done, int64_t ready)                      \
    {                                                                                              \
        const int64_t group = ALONG_GROUP(type), lanes = REAL_LANES(type), count = args->count;    \
        const SAMPLE(type) *along = (const SAMPLE(type) *)args->taps + args->rows.mask_rows;       \
        const VECTOR(type) low = REAL(type, set, (SAMPLE(type))args->low);                         \
        const VECTOR(type) high = REAL(type, set, (SAMPLE(type))args->high);                       \
        const VECTOR(type) bias = REAL(type, set, (SAMPLE(type))args->bias);                       \
        int64_t i = done;                                                                          \
        for (; i + group <= ready; i += group)                                                     \
            ALONG_AT(UNROLL, type)                                                                 \
        if (ready < count || i == count)                                                           \
            return i;                                                                              \
        if (count >= group) {                                                                      \
            i = count - group;                                                                     \
            ALONG_AT(UNROLL, type)                                                                 \
        }                                                                                          \
        for (int64_t at = 0; count < group && at < count; at += lanes) {                           \
            i = place_vector(at, lanes, count);                                                    \
            ALONG_AT(1, type)                                                                      \
        }                                                                                          \
        return count;                                                                              \
    }

/* Converts the sums of samples done … upto - 1 of row y. */
static inline void convert_sums(const struct kernel_args *args, int y, const void *sums,
                                int64_t done, int64_t upto)
{
    const struct kernel_conversion *to = &args->rows.conversion;
    to->run(&(struct kernel_args){.source = &sums,
                                  .result = (uint8_t *)args->rows.results[y] + done * to->size,
                                  .count = upto - done,
                                  .low = args->low,
                                  .high = args->high});
}

/* The same for rows from `from` on, to results or to sums that are converted, of which a last group
 * may start before `done`. A row that is not wanted is stored first, where the one before
 * overwrites it. */
#define DEFINE_PASSES_END(id, src, type)                                                           \
    static inline ALWAYS_INLINE int64_t end_##id(const struct kernel_args *args, int from,         \
                                                 const SAMPLE(type) * row, int64_t pitch,          \
                                                 int64_t done, int64_t ready)                      \
    {                                                                                              \
        enum { GROUP = ALONG_GROUP(type), MOST = KERNEL_PASSES_STEP + 4 * GROUP };                 \
        _Alignas(64) SAMPLE(type) sums[ALONG_ROWS][sizeof(SAMPLE(src)) > 2 ? 1 : MOST];            \
        const bool converts = sizeof(SAMPLE(src)) <= 2 && args->rows.conversion.run;               \
        SAMPLE(type) * result[ALONG_ROWS];                                                         \
        for (int k = 0; k < ALONG_ROWS; k++)                                                       \
            result[k] = args->rows.results[from + k < args->rows.height ? from + k : from];        \
        if (!converts)                                                                             \
            return along_##id(args, result, 0, row, pitch, done, ready);                           \
        for (int k = 0; k < ALONG_ROWS; k++)                                                       \
            result[k] = sums[k];                                                                   \
        int64_t upto = along_##id(args, result, done - GROUP, row, pitch, done, ready);            \
        for (int y = from; y < from + ALONG_ROWS && y < args->rows.height; y++)                    \
            convert_sums(args, y, sums[y - from] + GROUP, done, upto);                             \
        return upto;                                                                               \
    }

/* Rows of less than a vector. */
#define DEFINE_PASSES_SHORT(id, src, type, scalar_add)                                             \
    static inline void short_##id(const struct kernel_args *args, SAMPLE(type) * middle)           \
    {                                                                                              \
        const SAMPLE(type) *taps = args->taps, *along = taps + args->rows.mask_rows;               \
        const SAMPLE(type) low = (SAMPLE(type))args->low, high = (SAMPLE(type))args->high;         \
        for (int y = 0; y < args->rows.height; y++) {                                              \
            SAMPLE(type) sums[REAL_LANES(type)];                                                   \
            const bool converts = args->rows.conversion.run;                                       \
            SAMPLE(type) *result = converts ? sums : args->rows.results[y];                        \
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
            if (converts)                                                                          \
                convert_sums(args, y, sums, 0, args->count);                                       \
        }                                                                                          \
    }

/* Moves what the next part needs of the rows between the passes to the front, so that the next
 * sample that the first pass stores is aligned. Returns where the rows start. */
#define DEFINE_PASSES_MOVE(id, type)                                                               \
    static inline SAMPLE(type) *                                                                   \
        move_##id(SAMPLE(type) * to, const SAMPLE(type) * from, int64_t pitch, int64_t kept)       \
    {                                                                                              \
        to += -(uint64_t)kept % REAL_LANES(type);                                                  \
        for (int y = 0; y < PASSES_HEIGHT; y++)                                                    \
            memmove(to + y * pitch, from + y * pitch, (size_t)kept * sizeof *to);                  \
        return to;                                                                                 \
    }

#define DEFINE_FLOAT_PASSES_WITH(id, src, type, scalar_add)                                        \
    DEFINE_PASSES_DOWN(id, src, type)                                                              \
    DEFINE_PASSES_ALONG(id, type)                                                                  \
    DEFINE_PASSES_END(id, src, type)                                                               \
    DEFINE_PASSES_MOVE(id, type)                                                                   \
    DEFINE_PASSES_SHORT(id, src, type, scalar_add)                                                 \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const int64_t halo = (args->tap_count - 1) * args->apart, all = args->count + halo;        \
        const int64_t pitch = kernel_passes_pitch(halo, sizeof(SAMPLE(type)));                     \
        SAMPLE(type) *row = args->rows.scratch; /* whose first sample is `first` */                \
        int64_t done[PASSES_HEIGHT] = {0}, first = 0, upto;                                        \
        if (sizeof(SAMPLE(src)) == sizeof(float) && sizeof(SAMPLE(type)) == sizeof(float) &&       \
            rotated_passes(args))                                                                  \
            return;                                                                                \
        if (args->count < REAL_LANES(type)) {                                                      \
            short_##id(args, row);                                                                 \
            return;                                                                                \
        }                                                                                          \
        for (int64_t from = 0; from < all; from = upto) {                                          \
            int64_t least = args->count;                                                           \
            upto = from + PASSES_STEP(type);                                                       \
            upto += from == 0                                                                      \
                        ? (halo + DOWN_GROUP(type) - 1) / DOWN_GROUP(type) * DOWN_GROUP(type)      \
                        : 0;                                                                       \
            upto = upto < all ? upto : all;                                                        \
            down_##id(args, row + (from - first), pitch, from, upto);                              \
            for (int y = 0; y < args->rows.height; y += ALONG_ROWS) {                              \
                const SAMPLE(type) *at = row + y * pitch + (done[y] - first);                      \
                done[y] = end_##id(args, y, at, pitch, done[y], upto - halo);                      \
                least = done[y] < least ? done[y] : least;                                         \
            }                                                                                      \
            least = least - ALONG_GROUP(type) > first ? least - ALONG_GROUP(type) : first;         \
            if (upto < all)                                                                        \
                row = move_##id(args->rows.scratch, row + (least - first), pitch, upto - least);   \
            first = least;                                                                         \
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
