/* Bodies of the kernels that compute several rows at once, so that each loaded sample contributes
 * to all of them. A last vector that would exceed the end starts earlier and computes some samples
 * again, with equal results. */

enum { U8_HEIGHT = 2 * U8_PAIRS, MULTIROW_HEIGHT = 2 * MULTIROW_PAIRS };

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
            dot(y, both, (y % 2 * pairs + m - y / 2) * columns + c);                               \
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
                    dot(y, both, (y % 2 * pairs + (m)-y / 2) * columns + c);                       \
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
                sum += half_of((parts)[(y % 2 * pairs + m) * args->mask.column_count + c], half) * \
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

/* The first pass of gaussians up to 7 (sums in 16 bits) or 11, and dense masks of up to 5 rows. */
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
#define DEFINE_PAIR_MULTIROW(id, src, dst)                                                         \
    DEFINE_U8_MULTIROW(id, pair, PAIR_LANES, pair_join_u8, PAIR_DOT, int32_t, half_of_long, dst)

/* The same for taps split into a high and a low part, with a sum for each. */
#define SPLIT_PAIR(src, first, last)                                                               \
    for (int64_t c = 0; c < columns; c++) {                                                        \
        pair_rows both = pair_join_##src(source[2 * m] + args->mask.columns[c] + i,                \
                                         source[2 * m + 1] + args->mask.columns[c] + i);           \
        for (int y = first; y < (last); y++) {                                                     \
            int64_t t = (y % 2 * pairs + m - y / 2) * columns + c;                                 \
            high[y] = pair_dot(high[y], both, taps[t]);                                            \
            low[y] = pair_dot(low[y], both, taps[2 * pairs * columns + t]);                        \
        }                                                                                          \
    }

#define SPLIT_SUM_1(src)                                                                           \
    for (int64_t m = 0; m < pairs; m++) {                                                          \
        SPLIT_PAIR(src, 0, 2)                                                                      \
    }
/* The lower half of the rows starts and ends one pair later. */
#define SPLIT_SUM_2(src)                                                                           \
    for (int64_t m = 0; m < 1; m++) {                                                              \
        SPLIT_PAIR(src, 0, 2)                                                                      \
    }                                                                                              \
    for (int64_t m = 1; m < pairs; m++) {                                                          \
        SPLIT_PAIR(src, 0, 4)                                                                      \
    }                                                                                              \
    for (int64_t m = pairs; m < pairs + 1; m++) {                                                  \
        SPLIT_PAIR(src, 2, 4)                                                                      \
    }
#define SPLIT_SUM__(src, n) SPLIT_SUM_##n(src)
#define SPLIT_SUM_(src, n)  SPLIT_SUM__(src, n)
#define SPLIT_SUM(src)      SPLIT_SUM_(src, MULTIROW_PAIRS)

#define LESS_u16            32768
#define LESS_s16            0

/* All vectors of the rows. For the commonest mask, 3 × 3, the sizes are constants: then its few
 * products are not interrupted by loops. */
#define DEFINE_SPLIT_VECTORS(id, src, dst)                                                         \
    static inline ALWAYS_INLINE void vectors_##id(const struct kernel_args *args,                  \
                                                  const int64_t pairs, const int64_t columns)      \
    {                                                                                              \
        const SAMPLE_##src *const *source = (const SAMPLE_##src *const *)args->source;             \
        SAMPLE_##dst *const *results = (SAMPLE_##dst *const *)args->rows.results;                  \
        const int32_t *taps = args->taps;                                                          \
        const int64_t count = args->count;                                                         \
        int32_t least = (int32_t)args->low, most = (int32_t)args->high;                            \
        for (int64_t at = 0; at < count; at += PAIR_LANES) {                                       \
            int64_t i = place_vector(at, PAIR_LANES, count);                                       \
            if (i < 0)                                                                             \
                break;                                                                             \
            PREFETCH_AHEAD(PAIR_LANES);                                                            \
            pair_acc high[MULTIROW_HEIGHT], low[MULTIROW_HEIGHT];                                  \
            for (int y = 0; y < MULTIROW_HEIGHT; y++) {                                            \
                high[y] = pair_set((int32_t)args->add);                                            \
                low[y] = pair_set(args->mask.add_low);                                             \
            }                                                                                      \
            SPLIT_SUM(src)                                                                         \
            for (int y = 0; y < MULTIROW_HEIGHT; y++)                                              \
                if (y < args->rows.height)                                                         \
                    pair_store_##dst(pair_add_shifted(high[y], low[y], args->mask.split),          \
                                     args->shift, least, most, results[y] + i);                    \
        }                                                                                          \
    }

#define DEFINE_SPLIT_MULTIROW(id, src, dst)                                                        \
    DEFINE_SPLIT_VECTORS(id, src, dst)                                                             \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE_##src *const *source = (const SAMPLE_##src *const *)args->source;             \
        SAMPLE_##dst *const *results = (SAMPLE_##dst *const *)args->rows.results;                  \
        const int32_t *taps = args->taps;                                                          \
        const int64_t pairs = kernel_multirow_pairs(args->rows.mask_rows), count = args->count;    \
        int32_t least = (int32_t)args->low, most = (int32_t)args->high;                            \
        if (args->rows.mask_rows == 3 && args->mask.column_count == 3)                             \
            vectors_##id(args, kernel_multirow_pairs(3), 3);                                       \
        else                                                                                       \
            vectors_##id(args, pairs, args->mask.column_count);                                    \
        for (int64_t i = 0; count < PAIR_LANES && i < count; i++)                                  \
            for (int y = 0; y < args->rows.height; y++) {                                          \
                int32_t high = (int32_t)args->add, low = args->mask.add_low;                       \
                SUM_ONE(high, taps, half_of_long, LESS_##src)                                      \
                SUM_ONE(low, taps + 2 * pairs * args->mask.column_count, half_of_long, LESS_##src) \
                results[y][i] = (SAMPLE_##dst)clamp_long(                                          \
                    (high + (low >> args->mask.split)) >> args->shift, least, most);               \
            }                                                                                      \
    }

/* Adds source row r to the sums of output rows first … last, tap by tap. */
#define FLOAT_ROWS(units, type, first, last)                                                       \
    for (int64_t c = 0; c < args->mask.column_count; c++)                                          \
    FLOAT_COLUMN(units, type, first, last)

#define FLOAT_COLUMN(units, type, first, last)                                                     \
    {                                                                                              \
        const SAMPLE(type) *a = source[r] + args->mask.columns[c] + i;                             \
        VECTOR(type) v[units];                                                                     \
        for (int u = 0; u < (units); u++)                                                          \
            v[u] = REAL(type, load, a + u * REAL_LANES(type));                                     \
        for (int y = first; y <= (last); y++) {                                                    \
            VECTOR(type) tap = REAL(type, set, taps[(r - y) * args->mask.column_count + c]);       \
            for (int u = 0; u < (units); u++)                                                      \
                acc[y][u] = REAL(type, fma, acc[y][u], tap, v[u]);                                 \
        }                                                                                          \
    }

#define FLOAT_CASE(units, type, first, last)                                                       \
    case (first)*4 + (last):                                                                       \
        FLOAT_ROWS(units, type, first, last)                                                       \
        break

#define FLOAT_CASES_1(units, type)                                                                 \
    FLOAT_CASE(units, type, 0, 0);                                                                 \
    FLOAT_CASE(units, type, 0, 1);                                                                 \
    FLOAT_CASE(units, type, 1, 1)
#define FLOAT_CASES_2(units, type)                                                                 \
    FLOAT_CASES_1(units, type);                                                                    \
    FLOAT_CASE(units, type, 0, 2);                                                                 \
    FLOAT_CASE(units, type, 0, 3);                                                                 \
    FLOAT_CASE(units, type, 1, 2);                                                                 \
    FLOAT_CASE(units, type, 1, 3);                                                                 \
    FLOAT_CASE(units, type, 2, 2);                                                                 \
    FLOAT_CASE(units, type, 2, 3);                                                                 \
    FLOAT_CASE(units, type, 3, 3)
#define FLOAT_CASES__(units, type, n) FLOAT_CASES_##n(units, type)
#define FLOAT_CASES_(units, type, n)  FLOAT_CASES__(units, type, n)
#define FLOAT_CASES(units, type)      FLOAT_CASES_(units, type, MULTIROW_PAIRS)

/* Computes `units` vectors of every row, at sample i. */
#define FLOAT_MULTIROW_AT(units, type)                                                             \
    {                                                                                              \
        VECTOR(type) acc[MULTIROW_HEIGHT][units];                                                  \
        for (int y = 0; y < MULTIROW_HEIGHT; y++)                                                  \
            for (int u = 0; u < (units); u++)                                                      \
                acc[y][u] = REAL(type, set, 0);                                                    \
        for (int32_t r = 0; r < args->rows.mask_rows + MULTIROW_HEIGHT - 1; r++) {                 \
            int32_t from = r - args->rows.mask_rows + 1, to = r;                                   \
            from = from < 0 ? 0 : from;                                                            \
            to = to > MULTIROW_HEIGHT - 1 ? MULTIROW_HEIGHT - 1 : to;                              \
            if (from == 0 && to == MULTIROW_HEIGHT - 1 && args->mask.column_count == 1) {          \
                const int64_t c = 0;                                                               \
                for (; r < args->rows.mask_rows; r++)                                              \
                    FLOAT_COLUMN(units, type, 0, MULTIROW_HEIGHT - 1)                              \
                r--;                                                                               \
                continue;                                                                          \
            }                                                                                      \
            switch (from * 4 + to) {                                                               \
                FLOAT_CASES(units, type);                                                          \
            }                                                                                      \
        }                                                                                          \
        for (int y = 0; y < MULTIROW_HEIGHT; y++)                                                  \
            for (int u = 0; y < args->rows.height && u < (units); u++)                             \
                REAL(type, store, results[y] + i + u * REAL_LANES(type),                           \
                     REAL(type, clamp,                                                             \
                          REAL(type, add, acc[y][u], REAL(type, set, (SAMPLE(type))args->bias)),   \
                          REAL(type, set, low), REAL(type, set, high)));                           \
    }

#define DEFINE_FLOAT_MULTIROW_WITH(id, type, scalar_add)                                           \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE(type) *const *source = (const SAMPLE(type) *const *)args->source;             \
        SAMPLE(type) *const *results = (SAMPLE(type) *const *)args->rows.results;                  \
        const SAMPLE(type) *taps = args->taps;                                                     \
        SAMPLE(type) low = (SAMPLE(type))args->low, high = (SAMPLE(type))args->high;               \
        int64_t i = 0, count = args->count;                                                        \
        for (; i + MULTIROW_VECTORS * REAL_LANES(type) <= count;                                   \
             i += MULTIROW_VECTORS * REAL_LANES(type)) {                                           \
            const int64_t at = i;                                                                  \
            PREFETCH_AHEAD(MULTIROW_VECTORS *REAL_LANES(type));                                    \
            FLOAT_MULTIROW_AT(MULTIROW_VECTORS, type)                                              \
        }                                                                                          \
        for (int64_t at = i; at < count; at += REAL_LANES(type)) {                                 \
            i = place_vector(at, REAL_LANES(type), count);                                         \
            if (i < 0)                                                                             \
                break;                                                                             \
            FLOAT_MULTIROW_AT(1, type)                                                             \
        }                                                                                          \
        for (i = 0; count < REAL_LANES(type) && i < count; i++)                                    \
            for (int y = 0; y < args->rows.height; y++) {                                          \
                SAMPLE(type) sum = 0;                                                              \
                for (int64_t j = 0; j < args->rows.mask_rows; j++)                                 \
                    for (int64_t c = 0; c < args->mask.column_count; c++)                          \
                        sum = scalar_add(taps[j * args->mask.column_count + c],                    \
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
