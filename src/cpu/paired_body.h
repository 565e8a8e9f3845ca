/* Bodies of the kernels that multiply 16-bit samples of two consecutive rows by two taps, for up to
 * KERNEL_PAIRED_ROWS rows of results: PAIR_MULTIROW, and SPLIT_MULTIROW with two sums for each
 * result. Pairs of source rows are joined once for all columns of the mask and all rows of results:
 * a 32-bit element has the samples of both at one column. This is done in chunks that stay in the
 * first-level cache. Then every vector that is loaded serves PAIRED_HEIGHT rows. */

enum { PAIRED_HEIGHT = 4 };
_Static_assert(KERNEL_PAIRED_CHUNK >= PAIRED_SUMS * LONG_LANES,
               "results of rows that are too short");
_Static_assert(TAP_LANES <= KERNEL_PAIRED_TAP_LANES, "kernel_paired_bytes has room for them");
_Static_assert(TAP_LANES == 1 || TAP_LANES == LONG_LANES, "a vector for each pair of taps");
#define KEEP_POINTER(p) __asm__("" : "+r"(p))

#define LESS_u8         0
#define LESS_u16        32768
#define LESS_s16        0

/* Samples `at` … at + count - 1 of all pairs of rows. */
#define DEFINE_PAIRED_JOIN(src)                                                                    \
    static void paired_join_##src(const struct kernel_args *args, int64_t at, int64_t count,       \
                                  int64_t pitch)                                                   \
    {                                                                                              \
        const SAMPLE_##src *const *source = (const SAMPLE_##src *const *)args->source;             \
        const int64_t pairs = kernel_paired_sources(args->rows.mask_rows, args->rows.height);      \
        for (int64_t m = 0; m < pairs; m++) {                                                      \
            const SAMPLE_##src *a = source[2 * m] + at, *b = source[2 * m + 1] + at;               \
            int32_t *to = (int32_t *)args->rows.scratch + m * pitch;                               \
            for (int64_t next = 0; next < count && count >= PAIR_LANES; next += PAIR_LANES) {      \
                int64_t i = place_vector(next, PAIR_LANES, count);                                 \
                vl_join_##src(a + i, b + i, to + i);                                               \
            }                                                                                      \
            for (int64_t i = 0; i < count && count < PAIR_LANES; i++)                              \
                to[i] = kernel_join_shorts(a[i] - LESS_##src, b[i] - LESS_##src);                  \
        }                                                                                          \
    }
DEFINE_PAIRED_JOIN(u8)
DEFINE_PAIRED_JOIN(u16)
DEFINE_PAIRED_JOIN(s16)

/* What PAIRED_HEIGHT rows of results read: the joined rows from the first result on, and for each
 * of `pairs` times `columns` pairs of taps its place in them and the taps. `last` is the joined row
 * that only the last two rows of results read. A row has PAIRED_SUMS vectors of sums; with two
 * parts of taps, they are those of half as many results. */
struct paired {
    const int32_t *from, *places, *taps;
    int64_t last, pairs, columns;
    int parts;
    int64_t y, at, size; /* the first row, the first sample, and bytes of a source sample */
};

/* Prefetches the rows that are needed next, in the columns of results i … i + count - 1. */
static inline ALWAYS_INLINE void paired_prefetch(const struct kernel_args *args,
                                                 const struct paired p, int64_t i, int64_t count)
{
    const int64_t from = ((p.at + i) * p.size + 63) & -64, to = (p.at + i + count) * p.size;
    if (from >= to || !args->ahead)
        return;
    for (int64_t y = p.y; y < p.y + PAIRED_HEIGHT && y < args->rows.height; y++)
        for (int64_t b = from; b < to; b += 64)
            prefetch_near((const uint8_t *)args->ahead[y] + b);
}

static inline ALWAYS_INLINE void paired_load(vl_pairs v[PAIRED_SUMS], const int32_t *from,
                                             int vectors)
{
    for (int u = 0; u < vectors; u++)
        v[u] = vl_pairs_load(from + u * LONG_LANES);
}

/* Adds the products of two rows of results. */
static inline ALWAYS_INLINE void paired_add(vl sums[2][PAIRED_SUMS], const vl_pairs v[PAIRED_SUMS],
                                            const int32_t *taps, int parts)
{
    const int vectors = PAIRED_SUMS / parts;
    for (int y = 0; y < 2; y++)
        for (int u = 0; u < PAIRED_SUMS; u++)
            sums[y][u] =
                vl_dot(sums[y][u], v[u % vectors], taps + (y * parts + u / vectors) * TAP_LANES);
}

/* Rows 2 and 3 start and end one joined row later. Pointers are kept, as gcc otherwise computes the
 * address of each operand. */
static inline ALWAYS_INLINE void paired_add_all(vl sums[PAIRED_HEIGHT][PAIRED_SUMS],
                                                const struct paired p, int64_t i)
{
    const int vectors = PAIRED_SUMS / p.parts;
    const int64_t entry = 2 * p.parts * TAP_LANES, all = p.pairs * p.columns;
    const int32_t *row = p.from + i, *upper = p.taps + p.columns * entry, *lower = p.taps;
    vl_pairs v[PAIRED_SUMS], w[PAIRED_SUMS];
    for (int64_t t = p.columns; t < all; t++, upper += entry, lower += entry) {
        KEEP_POINTER(upper);
        KEEP_POINTER(lower);
        paired_load(v, row + p.places[t], vectors);
        paired_add(sums, v, upper, p.parts);
        paired_add(sums + 2, v, lower, p.parts);
    }
    upper = p.taps;
    for (int64_t t = 0; t < p.columns; t++, upper += entry, lower += entry) {
        KEEP_POINTER(upper);
        KEEP_POINTER(lower);
        paired_load(v, row + p.places[t], vectors);
        paired_load(w, row + p.places[t] + p.last, vectors);
        paired_add(sums, v, upper, p.parts);
        paired_add(sums + 2, w, lower, p.parts);
    }
}

/* Stores one, two or four vectors of each of two rows, those of the lower row first. */
#define DEFINE_PAIRED_STORE(dst)                                                                   \
    static inline void paired_store_##dst(const vl *a, const vl *b, int vectors, int32_t low,      \
                                          int32_t high, SAMPLE_##dst *p, SAMPLE_##dst *q)          \
    {                                                                                              \
        if (vectors == 1)                                                                          \
            vl_store_rows_##dst(a[0], b[0], low, high, p, q);                                      \
        for (int u = 0; u + 1 < vectors; u += 2)                                                   \
            vl_store2_##dst(b[u], b[u + 1], low, high, q + u * LONG_LANES);                        \
        for (int u = 0; u + 1 < vectors; u += 2)                                                   \
            vl_store2_##dst(a[u], a[u + 1], low, high, p + u * LONG_LANES);                        \
    }
DEFINE_PAIRED_STORE(u16)
DEFINE_PAIRED_STORE(s16)

static inline void paired_store_u8(const vl *a, const vl *b, int vectors, int32_t low, int32_t high,
                                   uint8_t *p, uint8_t *q)
{
    if (vectors == 1) {
        vl_store_u8(b[0], low, high, q);
        vl_store_u8(a[0], low, high, p);
    } else if (vectors == 2) {
        vl_store2_rows_u8(a, b, low, high, p, q);
    } else {
        vl_store4_u8(b, low, high, q);
        vl_store4_u8(a, low, high, p);
    }
}

/* Computes `count` results of PAIRED_HEIGHT rows. Rows may have the same results: the first one of
 * them is stored last. Without conditions compilers keep sums in registers. */
#define DEFINE_PAIRED_VECTORS(dst)                                                                 \
    static inline ALWAYS_INLINE void paired_vectors_##dst(                                         \
        const struct kernel_args *args, const struct paired p, SAMPLE_##dst *const *results,       \
        int64_t count)                                                                             \
    {                                                                                              \
        const int vectors = PAIRED_SUMS / p.parts;                                                 \
        const int64_t lanes = vectors * LONG_LANES;                                                \
        const int32_t low = (int32_t)args->low, high = (int32_t)args->high;                        \
        for (int64_t next = 0; next < count; next += lanes) {                                      \
            int64_t i = count < lanes ? 0 : place_vector(next, lanes, count);                      \
            paired_prefetch(args, p, next, lanes);                                                 \
            vl sums[PAIRED_HEIGHT][PAIRED_SUMS];                                                   \
            for (int y = 0; y < PAIRED_HEIGHT; y++)                                                \
                for (int u = 0; u < PAIRED_SUMS; u++)                                              \
                    sums[y][u] = vl_set(u < vectors ? (int32_t)args->add : args->mask.add_low);    \
            paired_add_all(sums, p, i);                                                            \
            for (int y = 0; y < PAIRED_HEIGHT; y++)                                                \
                for (int u = 0; u < vectors; u++) {                                                \
                    if (p.parts == 2)                                                              \
                        sums[y][u] =                                                               \
                            vl_add(sums[y][u], vl_sra(sums[y][vectors + u], args->mask.split));    \
                    sums[y][u] = vl_sra(sums[y][u], args->shift);                                  \
                }                                                                                  \
            for (int y = PAIRED_HEIGHT - 2; y >= 0; y -= 2)                                        \
                paired_store_##dst(sums[y], sums[y + 1], vectors, low, high, results[y] + i,       \
                                   results[y + 1] + i);                                            \
        }                                                                                          \
    }
DEFINE_PAIRED_VECTORS(u8)
DEFINE_PAIRED_VECTORS(u16)
DEFINE_PAIRED_VECTORS(s16)

/* Computes rows y … y + PAIRED_HEIGHT - 1 of a chunk, or as many as there are. For the commonest
 * mask, 3 × 3, the sizes are constants: then its few products are not interrupted by loops. */
#define DEFINE_PAIRED_ROWS(id, dst, count_of_parts)                                                \
    static void id##_rows(const struct kernel_args *args, struct paired p, int64_t count)          \
    {                                                                                              \
        SAMPLE_##dst *results[PAIRED_HEIGHT], spare[PAIRED_HEIGHT][PAIRED_SUMS * LONG_LANES];      \
        const bool is_short = count < PAIRED_SUMS / (count_of_parts)*LONG_LANES;                   \
        const int64_t y = p.y, at = p.at, left = args->rows.height - y;                            \
        for (int r = 0; r < PAIRED_HEIGHT; r++)                                                    \
            results[r] =                                                                           \
                is_short ? spare[r]                                                                \
                         : (SAMPLE_##dst *)args->rows.results[y + (r < left ? r : left - 1)] + at; \
        p.parts = count_of_parts;                                                                  \
        if (args->rows.mask_rows == 3 && p.columns == 3) {                                         \
            p.pairs = kernel_multirow_pairs(3);                                                    \
            p.columns = 3;                                                                         \
            paired_vectors_##dst(args, p, results, count);                                         \
        } else {                                                                                   \
            paired_vectors_##dst(args, p, results, count);                                         \
        }                                                                                          \
        for (int64_t r = 0; is_short && count > 0 && r < PAIRED_HEIGHT && r < left; r++)           \
            memcpy((SAMPLE_##dst *)args->rows.results[y + r] + at, spare[r],                       \
                   (size_t)count * sizeof(SAMPLE_##dst));                                          \
    }

static int64_t paired_reach(const struct kernel_mask *mask)
{
    int64_t last = 0;
    for (int64_t c = 0; c < mask->column_count; c++)
        last = mask->columns[c] > last ? mask->columns[c] : last;
    return last;
}

/* Makes the tables behind the joined rows. Taps are repeated TAP_LANES times, so that they are
 * operands in memory. */
static struct paired paired_prepare(const struct kernel_args *args, int parts, int64_t pitch)
{
    struct paired p = {.from = args->rows.scratch,
                       .taps = args->taps,
                       .pairs = kernel_multirow_pairs(args->rows.mask_rows),
                       .columns = args->mask.column_count};
    int64_t rows = kernel_paired_sources(args->rows.mask_rows, KERNEL_PAIRED_ROWS);
    int32_t *places = (int32_t *)args->rows.scratch + rows * pitch;
    int32_t *taps = places + kernel_paired_places(args->rows.mask_rows, p.columns);
    for (int64_t m = 0, t = 0; m < p.pairs; m++)
        for (int64_t c = 0; c < p.columns; c++, t++)
            places[t] = (int32_t)(m * pitch + args->mask.columns[c]);
    for (int64_t t = 0; TAP_LANES > 1 && t < 2 * parts * p.pairs * p.columns; t++)
        vl_store(taps + t * TAP_LANES, vl_set(p.taps[t]));
    p.places = places;
    p.taps = TAP_LANES > 1 ? taps : p.taps;
    p.last = p.pairs * pitch;
    return p;
}

/* A chunk that is shorter than a group of vectors starts earlier and computes some samples again.
 */
#define DEFINE_PAIRED_MULTIROW(id, src, dst, parts)                                                \
    DEFINE_PAIRED_ROWS(id, dst, parts)                                                             \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        enum { LEAST = PAIRED_SUMS / (parts)*LONG_LANES };                                         \
        PAIR_COLUMN_##parts##_##dst(args) const int64_t reach = paired_reach(&args->mask),         \
                                                        pitch = kernel_paired_pitch(reach);        \
        struct paired p = paired_prepare(args, parts, pitch);                                      \
        p.size = sizeof(SAMPLE_##src);                                                             \
        for (int64_t next = 0; next < args->count; next += KERNEL_PAIRED_CHUNK) {                  \
            int64_t count = args->count - next, at = next;                                         \
            if (count > KERNEL_PAIRED_CHUNK)                                                       \
                count = KERNEL_PAIRED_CHUNK;                                                       \
            if (count < LEAST && next > 0) {                                                       \
                at = args->count - LEAST;                                                          \
                count = LEAST;                                                                     \
            }                                                                                      \
            paired_join_##src(args, at, count + reach, pitch);                                     \
            p.from = args->rows.scratch;                                                           \
            p.at = at;                                                                             \
            for (p.y = 0; p.y < args->rows.height; p.y += PAIRED_HEIGHT) {                         \
                id##_rows(args, p, count);                                                         \
                p.from += PAIRED_HEIGHT / 2 * pitch;                                               \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_U8_MULTIROW(pair_rows_of_column, pair, PAIR_LANES, pair_join_u8, PAIR_DOT, int32_t,
                   half_of_long, s16)

static void pair_column(const struct kernel_args *args)
{
    struct kernel_args part = *args;
    for (int32_t y = 0; y < args->rows.height; y += U8_HEIGHT) {
        part.source = args->source + y;
        part.rows.results = args->rows.results + y;
        part.rows.height = args->rows.height - y < U8_HEIGHT ? args->rows.height - y : U8_HEIGHT;
        part.ahead = args->ahead ? args->ahead + y : NULL;
        KERNEL_NAME(ISA_ID, pair_rows_of_column)(&part);
    }
}

/* A single column gains nothing by joined rows. */
#define PAIR_COLUMN_1_u8(args)
#define PAIR_COLUMN_1_u16(args)
#define PAIR_COLUMN_2_u8(args)
#define PAIR_COLUMN_2_u16(args)
#define PAIR_COLUMN_2_s16(args)
#define PAIR_COLUMN_1_s16(args)                                                                    \
    if ((args)->mask.column_count == 1) {                                                          \
        pair_column(args);                                                                         \
        return;                                                                                    \
    }

#define DEFINE_PAIR_MULTIROW(id, src, dst)  DEFINE_PAIRED_MULTIROW(id, src, dst, 1)
#define DEFINE_SPLIT_MULTIROW(id, src, dst) DEFINE_PAIRED_MULTIROW(id, src, dst, 2)
