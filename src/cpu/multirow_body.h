/* Bodies of the kernels that compute several rows at once, so that each loaded sample contributes
 * to all of them. A last vector that would exceed the end starts earlier and computes some samples
 * again, with equal results. */

enum { MULTIROW_HEIGHT = 2 * MULTIROW_PAIRS };

/* Prefetches the rows that are needed next, in the columns of `samples` at i; each line once. */
#define PREFETCH_AHEAD(samples)                                                                    \
    if (args->ahead && (at * (int64_t)sizeof **source) % 64 == 0)                                  \
        for (int y = 0; y < args->height; y++)                                                     \
            for (int64_t b = 0; b < (samples) * (int64_t)sizeof **source; b += 64)                 \
    prefetch_near((const uint8_t *)args->ahead[y] + at * (int64_t)sizeof **source + b)

#define DRAIN_ROWS(units)                                                                          \
    for (int y = 0; args->drain && y < args->height; y++)                                          \
        for (int u = 0; u < (units); u++)                                                          \
    drain_line(&args->drain[y], results[y], i *(int64_t)sizeof **results)

/* Adds two source rows to the sums of output rows first … last - 1. */
#define DOT_PAIR(kind, first, last)                                                                \
    for (int64_t c = 0; c < args->column_count; c++) {                                             \
        kind##_rows both = kind##_join(source[2 * m] + args->columns[c] + i,                       \
                                       source[2 * m + 1] + args->columns[c] + i);                  \
        for (int y = first; y < (last); y++)                                                       \
            acc[y] = kind##_dot(acc[y], both,                                                      \
                                taps[(y % 2 * pairs + m - y / 2) * args->column_count + c]);       \
    }

/* Adds all pairs of source rows with `add_pair` for the `kind` of rows. */
#define SUM_PAIRS_1(add_pair, kind)                                                                \
    for (int64_t m = 0; m < pairs; m++) {                                                          \
        add_pair(kind, 0, 2)                                                                       \
    }

/* The lower half of the rows starts and ends one pair later. */
#define SUM_PAIRS_2(add_pair, kind)                                                                \
    for (int64_t m = 0; m < 1; m++) {                                                              \
        add_pair(kind, 0, 2)                                                                       \
    }                                                                                              \
    for (int64_t m = 1; m < pairs; m++) {                                                          \
        add_pair(kind, 0, 4)                                                                       \
    }                                                                                              \
    for (int64_t m = pairs; m < pairs + 1; m++) {                                                  \
        add_pair(kind, 2, 4)                                                                       \
    }

#define SUM_PAIRS__(add_pair, kind, n) SUM_PAIRS_##n(add_pair, kind)
#define SUM_PAIRS_(add_pair, kind, n)  SUM_PAIRS__(add_pair, kind, n)
#define SUM_PAIRS(add_pair, kind)      SUM_PAIRS_(add_pair, kind, MULTIROW_PAIRS)

/* One sample of output row y: samples minus a constant, times the taps in `parts`. */
#define SUM_ONE(sum, parts, half_of, less)                                                         \
    for (int64_t m = 0; m < pairs; m++)                                                            \
        for (int64_t c = 0; c < args->column_count; c++)                                           \
            for (int half = 0; half < 2; half++)                                                   \
                sum += half_of((parts)[(y % 2 * pairs + m) * args->column_count + c], half) *      \
                       (source[2 * (m + y / 2) + half][i + args->columns[c]] - (less));

static inline int32_t half_of_short(int32_t both, int half)
{
    return (int8_t)(uint8_t)((uint32_t)both >> (8 * half));
}

static inline int32_t half_of_long(int32_t both, int half)
{
    return (int16_t)(uint16_t)((uint32_t)both >> (16 * half));
}

#define DEFINE_INTEGER_MULTIROW(id, kind, sum_type, half_of, src, dst)                             \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE_##src *const *source = (const SAMPLE_##src *const *)args->source;             \
        SAMPLE_##dst *const *results = (SAMPLE_##dst *const *)args->results;                       \
        const int32_t *taps = args->taps;                                                          \
        const int64_t pairs = kernel_multirow_pairs(args->mask_rows), count = args->count;         \
        int32_t low = (int32_t)args->low, high = (int32_t)args->high;                              \
        int32_t add = (int32_t)args->add, shift = args->shift;                                     \
        for (int64_t at = 0; at < count; at += NARROW_LANES) {                                     \
            int64_t i = place_vector(at, NARROW_LANES, count);                                     \
            if (i < 0)                                                                             \
                break;                                                                             \
            PREFETCH_AHEAD(NARROW_LANES);                                                          \
            DRAIN_ROWS(1);                                                                         \
            kind##_acc acc[MULTIROW_HEIGHT];                                                       \
            for (int y = 0; y < MULTIROW_HEIGHT; y++)                                              \
                acc[y] = kind##_set((sum_type)add);                                                \
            SUM_PAIRS(DOT_PAIR, kind)                                                              \
            for (int y = 0; y < MULTIROW_HEIGHT; y++)                                              \
                if (y < args->height)                                                              \
                    kind##_store_##dst(acc[y], shift, low, high, results[y] + i);                  \
        }                                                                                          \
        for (int64_t i = 0; count < NARROW_LANES && i < count; i++)                                \
            for (int y = 0; y < args->height; y++) {                                               \
                int32_t sum = add;                                                                 \
                SUM_ONE(sum, taps, half_of, 0)                                                     \
                results[y][i] = (SAMPLE_##dst)clamp_long(sum >> shift, low, high);                 \
            }                                                                                      \
    }

#define DEFINE_NARROW_MULTIROW(id, src, dst)                                                       \
    DEFINE_INTEGER_MULTIROW(id, narrow, int16_t, half_of_short, src, dst)
#define DEFINE_PAIR_MULTIROW(id, src, dst)                                                         \
    DEFINE_INTEGER_MULTIROW(id, quad, int32_t, half_of_long, src, dst)

/* The same for taps split into a high and a low part, with a sum for each. */
#define SPLIT_PAIR(src, first, last)                                                               \
    for (int64_t c = 0; c < columns; c++) {                                                        \
        pair_rows both = pair_join_##src(source[2 * m] + args->columns[c] + i,                     \
                                         source[2 * m + 1] + args->columns[c] + i);                \
        for (int y = first; y < (last); y++) {                                                     \
            int64_t t = (y % 2 * pairs + m - y / 2) * columns + c;                                 \
            high[y] = pair_dot(high[y], both, taps[t]);                                            \
            low[y] = pair_dot(low[y], both, taps[2 * pairs * columns + t]);                        \
        }                                                                                          \
    }

#define LESS_u16 32768
#define LESS_s16 0

/* All vectors of the rows. For the commonest mask, 3 × 3, the sizes are constants: then its few
 * products are not interrupted by loops. */
#define DEFINE_SPLIT_VECTORS(id, src, dst)                                                         \
    static inline __attribute__((always_inline)) void vectors_##id(                                \
        const struct kernel_args *args, const int64_t pairs, const int64_t columns)                \
    {                                                                                              \
        const SAMPLE_##src *const *source = (const SAMPLE_##src *const *)args->source;             \
        SAMPLE_##dst *const *results = (SAMPLE_##dst *const *)args->results;                       \
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
                low[y] = pair_set(args->add_low);                                                  \
            }                                                                                      \
            SUM_PAIRS(SPLIT_PAIR, src)                                                             \
            for (int y = 0; y < MULTIROW_HEIGHT; y++)                                              \
                if (y < args->height)                                                              \
                    pair_store_##dst(pair_add_shifted(high[y], low[y], args->split), args->shift,  \
                                     least, most, results[y] + i);                                 \
        }                                                                                          \
    }

#define DEFINE_SPLIT_MULTIROW(id, src, dst)                                                        \
    DEFINE_SPLIT_VECTORS(id, src, dst)                                                             \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE_##src *const *source = (const SAMPLE_##src *const *)args->source;             \
        SAMPLE_##dst *const *results = (SAMPLE_##dst *const *)args->results;                       \
        const int32_t *taps = args->taps;                                                          \
        const int64_t pairs = kernel_multirow_pairs(args->mask_rows), count = args->count;         \
        int32_t least = (int32_t)args->low, most = (int32_t)args->high;                            \
        if (args->mask_rows == 3 && args->column_count == 3)                                       \
            vectors_##id(args, kernel_multirow_pairs(3), 3);                                       \
        else                                                                                       \
            vectors_##id(args, pairs, args->column_count);                                         \
        for (int64_t i = 0; count < PAIR_LANES && i < count; i++)                                  \
            for (int y = 0; y < args->height; y++) {                                               \
                int32_t high = (int32_t)args->add, low = args->add_low;                            \
                SUM_ONE(high, taps, half_of_long, LESS_##src)                                      \
                SUM_ONE(low, taps + 2 * pairs * args->column_count, half_of_long, LESS_##src)      \
                results[y][i] = (SAMPLE_##dst)clamp_long(                                          \
                    (high + (low >> args->split)) >> args->shift, least, most);                    \
            }                                                                                      \
    }

/* Adds source row r to the sums of output rows first … last, tap by tap. */
#define FLOAT_ROWS(units, first, last)                                                             \
    for (int64_t c = 0; c < args->column_count; c++)                                               \
    FLOAT_COLUMN(units, first, last)

#define FLOAT_COLUMN(units, first, last)                                                           \
    {                                                                                              \
        const float *a = source[r] + args->columns[c] + i;                                         \
        vf v[units];                                                                               \
        for (int u = 0; u < (units); u++)                                                          \
            v[u] = vf_load(a + u * FLOAT_LANES);                                                   \
        for (int y = first; y <= (last); y++) {                                                    \
            vf tap = vf_set(taps[(r - y) * args->column_count + c]);                               \
            for (int u = 0; u < (units); u++)                                                      \
                acc[y][u] = vf_fma(acc[y][u], tap, v[u]);                                          \
        }                                                                                          \
    }

#define FLOAT_CASE(units, first, last)                                                             \
    case (first)*4 + (last):                                                                       \
        FLOAT_ROWS(units, first, last)                                                             \
        break

#define FLOAT_CASES_1(units)                                                                       \
    FLOAT_CASE(units, 0, 0);                                                                       \
    FLOAT_CASE(units, 0, 1);                                                                       \
    FLOAT_CASE(units, 1, 1)
#define FLOAT_CASES_2(units)                                                                       \
    FLOAT_CASES_1(units);                                                                          \
    FLOAT_CASE(units, 0, 2);                                                                       \
    FLOAT_CASE(units, 0, 3);                                                                       \
    FLOAT_CASE(units, 1, 2);                                                                       \
    FLOAT_CASE(units, 1, 3);                                                                       \
    FLOAT_CASE(units, 2, 2);                                                                       \
    FLOAT_CASE(units, 2, 3);                                                                       \
    FLOAT_CASE(units, 3, 3)
#define FLOAT_CASES__(units, n) FLOAT_CASES_##n(units)
#define FLOAT_CASES_(units, n)  FLOAT_CASES__(units, n)
#define FLOAT_CASES(units)      FLOAT_CASES_(units, MULTIROW_PAIRS)

/* Computes `units` vectors of every row, at sample i. */
#define FLOAT_MULTIROW_AT(units)                                                                   \
    {                                                                                              \
        vf acc[MULTIROW_HEIGHT][units];                                                            \
        for (int y = 0; y < MULTIROW_HEIGHT; y++)                                                  \
            for (int u = 0; u < (units); u++)                                                      \
                acc[y][u] = vf_set(0.0f);                                                          \
        for (int32_t r = 0; r < args->mask_rows + MULTIROW_HEIGHT - 1; r++) {                      \
            int32_t from = r - args->mask_rows + 1, to = r;                                        \
            from = from < 0 ? 0 : from;                                                            \
            to = to > MULTIROW_HEIGHT - 1 ? MULTIROW_HEIGHT - 1 : to;                              \
            if (from == 0 && to == MULTIROW_HEIGHT - 1 && args->column_count == 1) {               \
                const int64_t c = 0;                                                               \
                for (; r < args->mask_rows; r++)                                                   \
                    FLOAT_COLUMN(units, 0, MULTIROW_HEIGHT - 1)                                    \
                r--;                                                                               \
                continue;                                                                          \
            }                                                                                      \
            switch (from * 4 + to) {                                                               \
                FLOAT_CASES(units);                                                                \
            }                                                                                      \
        }                                                                                          \
        for (int y = 0; y < MULTIROW_HEIGHT; y++)                                                  \
            for (int u = 0; y < args->height && u < (units); u++)                                  \
                vf_store(                                                                          \
                    results[y] + i + u * FLOAT_LANES,                                              \
                    vf_clamp(vf_add(acc[y][u], vf_set(args->bias)), vf_set(low), vf_set(high)));   \
    }

#define DEFINE_FLOAT_MULTIROW_WITH(id, scalar_add)                                                 \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const float *const *source = (const float *const *)args->source;                           \
        float *const *results = (float *const *)args->results;                                     \
        const float *taps = args->taps;                                                            \
        float low = (float)args->low, high = (float)args->high;                                    \
        int64_t i = 0, count = args->count;                                                        \
        for (; i + MULTIROW_VECTORS * FLOAT_LANES <= count; i += MULTIROW_VECTORS * FLOAT_LANES) { \
            const int64_t at = i;                                                                  \
            PREFETCH_AHEAD(MULTIROW_VECTORS *FLOAT_LANES);                                         \
            DRAIN_ROWS(MULTIROW_VECTORS);                                                          \
            FLOAT_MULTIROW_AT(MULTIROW_VECTORS)                                                    \
        }                                                                                          \
        for (int64_t at = i; at < count; at += FLOAT_LANES) {                                      \
            i = place_vector(at, FLOAT_LANES, count);                                              \
            if (i < 0)                                                                             \
                break;                                                                             \
            FLOAT_MULTIROW_AT(1)                                                                   \
        }                                                                                          \
        for (i = 0; count < FLOAT_LANES && i < count; i++)                                         \
            for (int y = 0; y < args->height; y++) {                                               \
                float sum = 0.0f;                                                                  \
                for (int64_t j = 0; j < args->mask_rows; j++)                                      \
                    for (int64_t c = 0; c < args->column_count; c++)                               \
                        sum = scalar_add(taps[j * args->column_count + c],                         \
                                         source[y + j][i + args->columns[c]], sum);                \
                sum += args->bias;                                                                 \
                results[y][i] = sum < low ? low : sum > high ? high : sum;                         \
            }                                                                                      \
    }

#if HAVE_FMA
#define DEFINE_FLOAT_MULTIROW(id, src, dst) DEFINE_FLOAT_MULTIROW_WITH(id, fmaf)
#define DEFINE_FAST_MULTIROW(id, src, dst)  /* the exact kernel is as fast */
#else
#define DEFINE_FLOAT_MULTIROW(id, src, dst) /* no exact float kernel */
#define DEFINE_FAST_MULTIROW(id, src, dst)  DEFINE_FLOAT_MULTIROW_WITH(id, PLAIN_ADD)
#endif
