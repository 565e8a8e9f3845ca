/* Bodies of the kernels that compute several rows at once, so that each loaded sample contributes
 * to all of them. A last vector that would exceed the end starts earlier and computes some samples
 * again, with equal results. */

enum { U8_HEIGHT = 2 * U8_PAIRS, MULTIROW_HEIGHT = 2 * MULTIROW_PAIRS };

/* What a kernel of floats computes at once: FLOAT_HEIGHT rows of FLOAT_VECTORS vectors, 4 rows or 2
 * of LOW_VECTORS if the mask is lower, and 4 rows of SMALL_VECTORS if it is 3 × 3. */
enum { FLOAT_UNITS = 4, FLOAT_ROWS = 8, LOW_HEIGHT = 4, LEAST_HEIGHT = 2 };

/* Prefetches the rows that are needed next, in the columns of `samples` at `at`: the lines that
 * start there. */
#define PREFETCH_AHEAD(samples)                                                                    \
    for (int y = 0; args->ahead && y < args->rows.height; y++)                                     \
        for (int64_t b = (at * (int64_t)sizeof **source + 63) / 64 * 64;                           \
             b < (at + (samples)) * (int64_t)sizeof **source; b += 64)                             \
    prefetch_near((const uint8_t *)args->ahead[y] + b)

/* Adds two source rows to the sums of output rows in pairs first … last. */
#define DOT_PAIR(join, dot, first, last)                                                           \
    for (int64_t c = 0; c < columns; c++) {                                                        \
        source_pair both = join(source[2 * m] + args->mask.columns[c] + i,                         \
                                source[2 * m + 1] + args->mask.columns[c] + i);                    \
        for (int y = 2 * (first); y < 2 * (last) + 2; y++)                                         \
            dot(y, both, ((m - y / 2) * columns + c) * 2 + y % 2);                                 \
    }

#define PAIR_CASE(join, dot, first, last)                                                          \
    case (first)*4 + (last):                                                                       \
        DOT_PAIR(join, dot, first, last)                                                           \
        break

/* For each number of pairs of output rows: which of them a pair of source rows can reach. */
#define PAIR_CASES_1(join, dot) PAIR_CASE(join, dot, 0, 0)
#define PAIR_CASES_2(join, dot)                                                                    \
    PAIR_CASES_1(join, dot);                                                                       \
    PAIR_CASE(join, dot, 0, 1);                                                                    \
    PAIR_CASE(join, dot, 1, 1)
#define PAIR_CASES_4(join, dot)                                                                    \
    PAIR_CASES_2(join, dot);                                                                       \
    PAIR_CASE(join, dot, 0, 2);                                                                    \
    PAIR_CASE(join, dot, 0, 3);                                                                    \
    PAIR_CASE(join, dot, 1, 2);                                                                    \
    PAIR_CASE(join, dot, 1, 3);                                                                    \
    PAIR_CASE(join, dot, 2, 2);                                                                    \
    PAIR_CASE(join, dot, 2, 3);                                                                    \
    PAIR_CASE(join, dot, 3, 3)

#define PAIR_CASES__(join, dot, n) PAIR_CASES_##n(join, dot)
#define PAIR_CASES_(join, dot, n)  PAIR_CASES__(join, dot, n)

/* Adds all pairs of source rows to `many` pairs of output rows. */
#define SUM_PAIRS(join, dot, many)                                                                 \
    for (int64_t m = 0; m < pairs + (many)-1; m++) {                                               \
        int64_t first = m - pairs + 1, last = m < (many) ? m : (many)-1;                           \
        first = first < 0 ? 0 : first;                                                             \
        switch (first * 4 + last) {                                                                \
            PAIR_CASES_(join, dot, many);                                                          \
        }                                                                                          \
    }

/* The same without a switch for at least as many pairs of taps: one source pair after the other
 * reaches one more pair of output rows, then all, then one less. */
#define DOT_PAIR_AT(join, dot, at_pair, first, last)                                               \
    {                                                                                              \
        const int64_t m = at_pair;                                                                 \
        DOT_PAIR(join, dot, first, last)                                                           \
    }
#define SUM_LONG(join, dot, many)                                                                  \
    {                                                                                              \
        enum { LAST = (many)-1 };                                                                  \
        if (LAST > 0)                                                                              \
            DOT_PAIR_AT(join, dot, 0, 0, 0)                                                        \
        if (LAST > 1) {                                                                            \
            DOT_PAIR_AT(join, dot, 1, 0, 1)                                                        \
            DOT_PAIR_AT(join, dot, 2, 0, 2)                                                        \
        }                                                                                          \
        for (int64_t m = LAST; m < pairs; m++)                                                     \
            DOT_PAIR(join, dot, 0, LAST)                                                           \
        if (LAST > 0)                                                                              \
            DOT_PAIR_AT(join, dot, pairs, 1, LAST)                                                 \
        if (LAST > 1) {                                                                            \
            DOT_PAIR_AT(join, dot, pairs + 1, 2, LAST)                                             \
            DOT_PAIR_AT(join, dot, pairs + 2, 3, LAST)                                             \
        }                                                                                          \
    }
_Static_assert(U8_PAIRS == 1 || U8_PAIRS == 2 || U8_PAIRS == 4, "SUM_LONG adds these rows");

/* The same for a constant number of pairs, without a switch: adds pair m of the source rows. */
#define CONSTANT_PAIR(join, dot, m)                                                                \
    if ((m) < pairs + U8_PAIRS - 1)                                                                \
        for (int64_t c = 0; c < columns; c++) {                                                    \
            int64_t x = args->mask.columns[c] + i;                                                 \
            source_pair both = join(source[2 * (m)] + x, source[2 * (m) + 1] + x);                 \
            for (int y = 0; y < U8_HEIGHT; y++)                                                    \
                if ((m) >= y / 2 && (m)-y / 2 < pairs)                                             \
                    dot(y, both, (((m)-y / 2) * columns + c) * 2 + y % 2);                         \
        }
#define SUM_CONSTANT(join, dot)                                                                    \
    CONSTANT_PAIR(join, dot, 0)                                                                    \
    CONSTANT_PAIR(join, dot, 1)                                                                    \
    CONSTANT_PAIR(join, dot, 2)                                                                    \
    CONSTANT_PAIR(join, dot, 3)                                                                    \
    CONSTANT_PAIR(join, dot, 4)                                                                    \
    CONSTANT_PAIR(join, dot, 5)                                                                    \
    CONSTANT_PAIR(join, dot, 6)                                                                    \
    CONSTANT_PAIR(join, dot, 7)                                                                    \
    CONSTANT_PAIR(join, dot, 8)

/* One sample of output row y: samples minus a constant, times the taps in `parts`. */
#define SUM_ONE(sum, parts, half_of, less)                                                         \
    for (int64_t m = 0; m < pairs; m++)                                                            \
        for (int64_t c = 0; c < args->mask.column_count; c++)                                      \
            for (int half = 0; half < 2; half++)                                                   \
                sum += half_of((parts)[(m * args->mask.column_count + c) * 2 + y % 2], half) *     \
                       (source[2 * (m + y / 2) + half][i + args->mask.columns[c]] - (less));

static inline int32_t half_of_short(int32_t both, int half)
{
    return (int8_t)(uint8_t)((uint32_t)both >> (8 * half));
}

static inline int32_t half_of_long(int32_t both, int half)
{
    return (int16_t)(uint16_t)((uint32_t)both >> (16 * half));
}

#define ADD_DOT(kind, y, both, t) acc[y] = kind##_dot(acc[y], both, taps[t])
#define NARROW_DOT(y, both, t)    ADD_DOT(narrow, y, both, t)
#define PAIR_DOT(y, both, t)      ADD_DOT(pair, y, both, t)

/* If `constant`, `pairs` is a constant, and so may `columns` be. */
#define DEFINE_U8_MULTIROW(id, kind, lanes, join, dot, sum_type, half_of, dst)                     \
    static inline ALWAYS_INLINE void id##_with(const struct kernel_args *args,                     \
                                               const int64_t pairs, const bool constant,           \
                                               const int64_t columns)                              \
    {                                                                                              \
        typedef kind##_rows source_pair;                                                           \
        const uint8_t *const *source = (const uint8_t *const *)args->source;                       \
        SAMPLE_##dst *const *results = (SAMPLE_##dst *const *)args->rows.results;                  \
        const int32_t *taps = args->taps;                                                          \
        const int64_t count = args->count;                                                         \
        int32_t low = (int32_t)args->low, high = (int32_t)args->high;                              \
        int32_t add = (int32_t)args->add, shift = args->shift;                                     \
        for (int64_t at = 0; at < count; at += (lanes)) {                                          \
            int64_t i = place_vector(at, lanes, count);                                            \
            PREFETCH_AHEAD(lanes);                                                                 \
            kind##_acc acc[U8_HEIGHT];                                                             \
            for (int y = 0; y < U8_HEIGHT; y++)                                                    \
                acc[y] = kind##_set((sum_type)add);                                                \
            if (constant) {                                                                        \
                SUM_CONSTANT(join, dot)                                                            \
            } else if (pairs >= U8_PAIRS) {                                                        \
                SUM_LONG(join, dot, U8_PAIRS)                                                      \
            } else {                                                                               \
                SUM_PAIRS(join, dot, U8_PAIRS)                                                     \
            }                                                                                      \
            for (int y = 0; y < U8_HEIGHT; y++)                                                    \
                if (y < args->rows.height)                                                         \
                    kind##_store_##dst(acc[y], shift, low, high, results[y] + i);                  \
        }                                                                                          \
    }                                                                                              \
    static inline void id##_one(const struct kernel_args *args, const uint8_t *const *source,      \
                                int64_t pairs, int y, int64_t i)                                   \
    {                                                                                              \
        SAMPLE_##dst *result = args->rows.results[y];                                              \
        int32_t sum = (int32_t)args->add;                                                          \
        SUM_ONE(sum, (const int32_t *)args->taps, half_of, 0)                                      \
        result[i] =                                                                                \
            (SAMPLE_##dst)clamp_long(sum >> args->shift, (int32_t)args->low, (int32_t)args->high); \
    }                                                                                              \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const int64_t pairs = kernel_multirow_pairs(args->rows.mask_rows);                         \
        for (int64_t i = 0; args->count < (lanes) && i < args->count; i++)                         \
            for (int y = 0; y < args->rows.height; y++)                                            \
                id##_one(args, (const uint8_t *const *)args->source, pairs, y, i);                 \
        if (args->count < (lanes))                                                                 \
            return;                                                                                \
        CONSTANT_CASES_##dst(id, kind) id##_with(args, pairs, false, args->mask.column_count);     \
    }

#define CONSTANT_CASE(id, pairs, columns)                                                          \
    case pairs:                                                                                    \
        id##_with(args, pairs, true, columns);                                                     \
        return

/* The first pass of factored masks of up to 7 rows (sums in 16 bits) and of gaussians up to 11 from
 * u8 to s16, and dense masks of up to 5 rows. */
#define COLUMN_CASES_narrow(id)                                                                    \
    CONSTANT_CASE(id, 2, 1);                                                                       \
    CONSTANT_CASE(id, 3, 1);                                                                       \
    CONSTANT_CASE(id, 4, 1)
#define COLUMN_CASES_pair(id)                                                                      \
    COLUMN_CASES_narrow(id);                                                                       \
    CONSTANT_CASE(id, 5, 1);                                                                       \
    CONSTANT_CASE(id, 6, 1)
#define CONSTANT_CASES_s16(id, kind)                                                               \
    if (U8_PAIRS > 1 && args->mask.column_count == 1)                                              \
        switch (pairs) {                                                                           \
            COLUMN_CASES_##kind(id);                                                               \
        default:                                                                                   \
            id##_with(args, pairs, false, 1);                                                      \
            return;                                                                                \
        }
#define CONSTANT_CASES_u8(id, kind)                                                                \
    if (PAIR_LANES >= 32 && pairs == 2 && args->mask.column_count == 3) {                          \
        id##_with(args, 2, true, 3); /* other instruction sets would spill sums */                 \
        return;                                                                                    \
    }                                                                                              \
    if (U8_PAIRS > 1)                                                                              \
        switch (pairs) {                                                                           \
            CONSTANT_CASE(id, 2, args->mask.column_count);                                         \
            CONSTANT_CASE(id, 3, args->mask.column_count);                                         \
        }
#define CONSTANT_CASES_u16(id, kind)

#define DEFINE_NARROW_MULTIROW(id, src, dst)                                                       \
    DEFINE_U8_MULTIROW(id, narrow, NARROW_LANES, narrow_join, NARROW_DOT, int16_t, half_of_short,  \
                       dst)

/* Adds a vector group of a source row, from `a`, to the sums of rows first … last. `tap` is that of
 * row 0; the taps of the next rows come before it. */
#define FLOAT_COLUMN(src, type, a, tap, units, first, last)                                        \
    {                                                                                              \
        VECTOR(type) v[FLOAT_UNITS];                                                               \
        UNROLLED                                                                                   \
        for (int u = 0; u < (units); u++)                                                          \
            v[u] = LOAD_AS(src, type, (a) + u * REAL_LANES(type));                                 \
        UNROLLED                                                                                   \
        for (int y = first; y <= (last); y++) {                                                    \
            const VECTOR(type) t = tap(type, y);                                                   \
            UNROLLED                                                                               \
            for (int u = 0; u < (units); u++)                                                      \
                acc[y][u] = REAL(type, fma, acc[y][u], t, v[u]);                                   \
        }                                                                                          \
    }
#define FLOAT_TAP(type, y)      REAL(type, set, taps[-(y)])
#define FLOAT_TAP_KEPT(type, y) at[-(y)]

/* All columns of a source row. The compiler must not add i to each column. */
#define FLOAT_ROW(type, row, units, first, last)                                                   \
    {                                                                                              \
        const SAMPLE(type) *taps = (const SAMPLE(type) *)args->taps + (row),                       \
                           *from = source[row] + i;                                                \
        __asm__("" : "+r"(from));                                                                  \
        for (int64_t c = 0; c < args->mask.column_count; c++, taps += rows)                        \
            FLOAT_COLUMN(type, type, from + args->mask.columns[c], FLOAT_TAP, units, first, last)  \
    }

/* Source rows that reach only some of `height` rows of results: the first ones, and the last.
 * Compilers keep sums in registers only if these are constants before any loop is unrolled. */
#define FLOAT_FIRST(row, type, units, height, r)                                                   \
    if ((height) > (r) + 1)                                                                        \
    row(type, r, units, 0, r)
#define FLOAT_FIRST_ROWS(row, type, units, height)                                                 \
    FLOAT_FIRST(row, type, units, height, 0)                                                       \
    FLOAT_FIRST(row, type, units, height, 1)                                                       \
    FLOAT_FIRST(row, type, units, height, 2)                                                       \
    FLOAT_FIRST(row, type, units, height, 3)                                                       \
    FLOAT_FIRST(row, type, units, height, 4)                                                       \
    FLOAT_FIRST(row, type, units, height, 5)                                                       \
    FLOAT_FIRST(row, type, units, height, 6)
#define FLOAT_LAST(row, type, units, height, y)                                                    \
    if ((height) > (y))                                                                            \
    row(type, rows - 1 + y, units, y, (height)-1)
#define FLOAT_LAST_ROWS(row, type, units, height)                                                  \
    FLOAT_LAST(row, type, units, height, 1)                                                        \
    FLOAT_LAST(row, type, units, height, 2)                                                        \
    FLOAT_LAST(row, type, units, height, 3)                                                        \
    FLOAT_LAST(row, type, units, height, 4)                                                        \
    FLOAT_LAST(row, type, units, height, 5)                                                        \
    FLOAT_LAST(row, type, units, height, 6)                                                        \
    FLOAT_LAST(row, type, units, height, 7)

/* A source row of a mask of 3 × 3, with taps in registers. */
#define FLOAT_KEPT_ROW(type, r, first, last)                                                       \
    FLOAT_KEPT_COLUMN(type, r, 0, first, last)                                                     \
    FLOAT_KEPT_COLUMN(type, r, 1, first, last)                                                     \
    FLOAT_KEPT_COLUMN(type, r, 2, first, last)
#define FLOAT_KEPT_COLUMN(type, r, c, first, last)                                                 \
    {                                                                                              \
        const VECTOR(type) *at = kept + (c)*3 + (r);                                               \
        FLOAT_COLUMN(type, type, source[r] + args->mask.columns[c] + i, FLOAT_TAP_KEPT, units,     \
                     first, last)                                                                  \
    }

/* Sets the sums of `height` rows to 0. */
#define FLOAT_CLEAR(type, height, units)                                                           \
    UNROLLED                                                                                       \
    for (int y = 0; y < (height); y++) {                                                           \
        UNROLLED                                                                                   \
        for (int u = 0; u < (units); u++)                                                          \
            acc[y][u] = REAL(type, set, 0);                                                        \
    }

/* sum: computes `units` vectors of `height` rows, at sample i. One source row after the other
 * reaches one more row of results, then all, then one less, so masks need at least height - 1 rows.
 * `kept` are the taps of a mask of 3 × 3, in registers. Rows that are not wanted are stored first,
 * where the last wanted one overwrites them. rows: the rows from `from` on, `height` at most, at
 * least a vector of each. */
#define DEFINE_FLOAT_ROWS(id, type)                                                                \
    static inline ALWAYS_INLINE void sum_##id(const struct kernel_args *args, int64_t i,           \
                                              const int height, const int units,                   \
                                              const VECTOR(type) * kept, SAMPLE(type) *const *to)  \
    {                                                                                              \
        const SAMPLE(type) *const *source = (const SAMPLE(type) *const *)args->source;             \
        const int64_t rows = args->rows.mask_rows;                                                 \
        const VECTOR(type) low = REAL(type, set, (SAMPLE(type))args->low);                         \
        const VECTOR(type) high = REAL(type, set, (SAMPLE(type))args->high);                       \
        const VECTOR(type) bias = REAL(type, set, (SAMPLE(type))args->bias);                       \
        VECTOR(type) acc[FLOAT_ROWS][FLOAT_UNITS];                                                 \
        FLOAT_CLEAR(type, height, units)                                                           \
        if (kept) {                                                                                \
            FLOAT_KEPT_ROW(type, 0, 0, 0)                                                          \
            FLOAT_KEPT_ROW(type, 1, 0, 1)                                                          \
            FLOAT_KEPT_ROW(type, 2, 0, 2)                                                          \
            FLOAT_KEPT_ROW(type, 3, 1, 3)                                                          \
            FLOAT_KEPT_ROW(type, 4, 2, 3)                                                          \
            FLOAT_KEPT_ROW(type, 5, 3, 3)                                                          \
        } else {                                                                                   \
            FLOAT_FIRST_ROWS(FLOAT_ROW, type, units, height)                                       \
            for (int64_t r = height - 1; r < rows; r++)                                            \
                FLOAT_ROW(type, r, units, 0, height - 1)                                           \
            FLOAT_LAST_ROWS(FLOAT_ROW, type, units, height)                                        \
        }                                                                                          \
        UNROLLED                                                                                   \
        for (int y = height - 1; y >= 0; y--) {                                                    \
            prefetch_result(to[y] + i, units * REAL_LANES(type) * (int64_t)sizeof **to);           \
            UNROLLED                                                                               \
            for (int u = 0; u < units; u++)                                                        \
                REAL(type, store, to[y] + i + u * REAL_LANES(type),                                \
                     REAL(type, clamp, REAL(type, add, acc[y][u], bias), low, high));              \
        }                                                                                          \
    }                                                                                              \
    static inline ALWAYS_INLINE void rows_##id(const struct kernel_args *all, int32_t from,        \
                                               const int height, const int units,                  \
                                               const bool is_3x3)                                  \
    {                                                                                              \
        struct kernel_args part = *all, *const args = &part;                                       \
        const SAMPLE(type) *taps = args->taps;                                                     \
        SAMPLE(type) * to[FLOAT_ROWS];                                                             \
        VECTOR(type) kept[9];                                                                      \
        args->source += from;                                                                      \
        args->rows.results += from;                                                                \
        args->rows.height -= from;                                                                 \
        args->ahead = args->ahead ? args->ahead + from : NULL;                                     \
        args->rows.height = args->rows.height < height ? args->rows.height : height;               \
        for (int y = 0; y < height; y++)                                                           \
            to[y] = args->rows.results[y < args->rows.height ? y : args->rows.height - 1];         \
        for (int t = 0; t < 9; t++)                                                                \
            kept[t] = REAL(type, set, is_3x3 ? taps[t] : 0);                                       \
        const int64_t count = args->count, lanes = REAL_LANES(type);                               \
        const SAMPLE(type) *const *source = (const SAMPLE(type) *const *)args->source;             \
        for (int64_t at = 0; count >= units * lanes && at < count; at += units * lanes) {          \
            int64_t i = place_vector(at, units * lanes, count);                                    \
            PREFETCH_AHEAD(units *lanes);                                                          \
            sum_##id(args, i, height, units, is_3x3 ? kept : NULL, to);                            \
        }                                                                                          \
        for (int64_t at = 0; count < units * lanes && at < count; at += lanes)                     \
            sum_##id(args, place_vector(at, lanes, count), height, 1, is_3x3 ? kept : NULL, to);   \
    }

/* Computes the rows from `from` on, at least a vector of each; returns the first that is left. */
typedef int32_t float_rows(const struct kernel_args *args, int32_t from);

/* One function for each shape: compilers find the registers of large functions less often. */
#define DEFINE_FLOAT_SHAPE(shape, id, height, units, is_3x3)                                       \
    static int32_t shape##_##id(const struct kernel_args *args, int32_t from)                      \
    {                                                                                              \
        rows_##id(args, from, height, units, is_3x3);                                              \
        return from + (height);                                                                    \
    }

/* The function for masks of 3 × 3 if results are streamed. */
#if HAVE_LINES
#include "cpu/lines_avx512.h"
#define FLOAT_STREAMED_f32(stored) lines_3x3
#else
#define FLOAT_STREAMED_f32(stored) stored
#endif
#define FLOAT_STREAMED_f64(stored) stored

#define DEFINE_FLOAT_MULTIROW_WITH(id, type, scalar_add)                                           \
    DEFINE_FLOAT_ROWS(id, type)                                                                    \
    DEFINE_FLOAT_SHAPE(tall, id, FLOAT_HEIGHT, FLOAT_VECTORS, false)                               \
    DEFINE_FLOAT_SHAPE(low, id, LOW_HEIGHT, LOW_VECTORS, false)                                    \
    DEFINE_FLOAT_SHAPE(small, id, LOW_HEIGHT, SMALL_VECTORS, true)                                 \
    DEFINE_FLOAT_SHAPE(least, id, LEAST_HEIGHT, LOW_VECTORS, false)                                \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE(type) *const *source = (const SAMPLE(type) *const *)args->source;             \
        SAMPLE(type) *const *results = (SAMPLE(type) *const *)args->rows.results;                  \
        const SAMPLE(type) *taps = args->taps;                                                     \
        const SAMPLE(type) low = (SAMPLE(type))args->low, high = (SAMPLE(type))args->high;         \
        const int32_t rows = args->rows.mask_rows, height = args->rows.height;                     \
        if (args->count >= REAL_LANES(type)) {                                                     \
            const bool is_3x3 = rows == 3 && args->mask.column_count == 3;                         \
            float_rows *const run =                                                                \
                is_3x3 && args->stream && args->count >= SMALL_VECTORS * REAL_LANES(type)          \
                    ? FLOAT_STREAMED_##type(small_##id)                                            \
                : rows >= FLOAT_HEIGHT - 1 && FLOAT_HEIGHT > LOW_HEIGHT ? tall_##id                \
                : is_3x3                                                ? small_##id               \
                : rows >= LOW_HEIGHT - 1                                ? low_##id                 \
                                                                        : least_##id;                                             \
            for (int32_t y = 0; y < height;)                                                       \
                y = run(args, y);                                                                  \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < args->count; i++)                                                  \
            for (int y = 0; y < height; y++) {                                                     \
                SAMPLE(type) sum = 0;                                                              \
                for (int32_t j = 0; j < rows; j++)                                                 \
                    for (int64_t c = 0; c < args->mask.column_count; c++)                          \
                        sum = scalar_add(taps[c * rows + j],                                       \
                                         source[y + j][i + args->mask.columns[c]], sum);           \
                sum += (SAMPLE(type))args->bias;                                                   \
                results[y][i] = sum < low ? low : sum > high ? high : sum;                         \
            }                                                                                      \
    }

#if HAVE_FMA
#define DEFINE_FLOAT_MULTIROW(id, src, dst) DEFINE_FLOAT_MULTIROW_WITH(id, src, SCALAR_FMA(src))
#define DEFINE_FAST_MULTIROW(id, src, dst)  /* the exact kernel is as fast */
#else
#define DEFINE_FLOAT_MULTIROW(id, src, dst) /* no exact float kernel */
#define DEFINE_FAST_MULTIROW(id, src, dst)  DEFINE_FLOAT_MULTIROW_WITH(id, src, PLAIN_ADD)
#endif
