/* Body of the kernel that applies both passes to samples and to their weights, 0 or 1, and divides
 * the sums. As in passes_body.h the passes take turns.
 *
 * Where nothing is missing the sums of weights are known. The first pass tries this where the
 * vectors before had nothing missing, and starts again if it is wrong. */

enum { WEIGHTED_HEIGHT = MULTIROW_HEIGHT };

#if HAVE_FMA

/* Vectors of samples that the first pass computes at once, and the samples of a part: whole
 * groups. */
enum {
    WEIGHTED_VECTORS = (MULTIROW_VECTORS + 1) / 2,
    WEIGHTED_GROUP = WEIGHTED_VECTORS * WIDE_LANES,
    WEIGHTED_AHEAD = 64, /* samples from those that are loaded to those that are prefetched */
    WEIGHTED_STEP = 256 / WEIGHTED_GROUP * WEIGHTED_GROUP,
    WEIGHTED_ALONG = UNROLL * WIDE_LANES /* results of the second pass */
};

/* What both passes share. */
struct weighted {
    const struct kernel_args *args;
    double *sums, *weights; /* rows between the passes */
    int64_t pitch;          /* samples from one of them to the next */
    int32_t *whole; /* for each group: the first of those up to it in which nothing is missing */
    double column;  /* the sum of a column of weights if nothing is missing */
    bool known;     /* with it there is a result, and never without the centre */
};

/* Adds the samples of source row j to the sums of rows first … last. */
#define WEIGHTED_ADD(units, is_nan, is_whole, j, first, last)                                      \
    {                                                                                              \
        vd v[units];                                                                               \
        vd_where present[units];                                                                   \
        for (int u = 0; u < (units); u++) {                                                        \
            v[u] = vd_load_f32(source[j] + i + u * WIDE_LANES);                                    \
            present[u] = (is_nan) ? vd_is_number(v[u]) : vd_differs(v[u], none);                   \
            if (is_whole)                                                                          \
                all[u] = vd_where_both(all[u], present[u]);                                        \
        }                                                                                          \
        for (int y = first; y <= (last); y++) {                                                    \
            vd tap = vd_set(taps[(j)-y]);                                                          \
            for (int u = 0; u < (units); u++) {                                                    \
                n[y][u] = (is_whole) ? vd_fma(n[y][u], tap, v[u])                                  \
                                     : vd_fma_where(n[y][u], tap, v[u], present[u]);               \
                d[y][u] = (is_whole) ? d[y][u] : vd_add_where(d[y][u], tap, present[u]);           \
            }                                                                                      \
        }                                                                                          \
    }

/* Computes `units` vectors of every row between the passes, at sample i; all[] says where nothing
 * is missing that matters. If `is_whole`, the sums are right only if that is everywhere. */
#define WEIGHTED_DOWN(units, is_nan, is_whole)                                                     \
    {                                                                                              \
        enum { LAST = WEIGHTED_HEIGHT - 1, FOUR = LAST > 1 };                                      \
        vd n[4][units], d[4][units];                                                               \
        for (int u = 0; u < (units); u++)                                                          \
            all[u] = vd_where_all();                                                               \
        for (int y = 0; y < 4; y++)                                                                \
            for (int u = 0; u < (units); u++) {                                                    \
                n[y][u] = vd_set(0.0);                                                             \
                d[y][u] = (is_whole) ? column : vd_set(0.0);                                       \
            }                                                                                      \
        WEIGHTED_ADD(units, is_nan, is_whole, 0, 0, 0)                                             \
        if (FOUR) {                                                                                \
            WEIGHTED_ADD(units, is_nan, is_whole, 1, 0, 1)                                         \
            WEIGHTED_ADD(units, is_nan, is_whole, 2, 0, 2)                                         \
        }                                                                                          \
        for (int32_t j = LAST; j < rows; j++)                                                      \
            WEIGHTED_ADD(units, is_nan, is_whole, j, 0, LAST)                                      \
        WEIGHTED_ADD(units, is_nan, is_whole, rows, 1, LAST)                                       \
        if (FOUR) {                                                                                \
            WEIGHTED_ADD(units, is_nan, is_whole, rows + 1, 2, LAST)                               \
            WEIGHTED_ADD(units, is_nan, is_whole, rows + 2, 3, LAST)                               \
        }                                                                                          \
        for (int y = 0; y < WEIGHTED_HEIGHT && !(is_whole); y++)                                   \
            for (int u = 0; u < (units); u++)                                                      \
                all[u] = vd_where_both(all[u], vd_equals(d[y][u], column));                        \
        for (int y = 0; y < WEIGHTED_HEIGHT; y++)                                                  \
            for (int u = 0; u < (units); u++) {                                                    \
                int64_t at_u = y * w->pitch + i + u * WIDE_LANES;                                  \
                vd_store(w->sums + at_u, vd_add(n[y][u], vd_set(0.0)));                            \
                vd_store(w->weights + at_u, vd_add(d[y][u], vd_set(0.0)));                         \
            }                                                                                      \
    }

static inline bool weighted_all(const vd_where *all)
{
    vd_where both = all[0];
    for (int u = 1; u < WEIGHTED_VECTORS; u++)
        both = vd_where_both(both, all[u]);
    return vd_is_everywhere(both);
}

/* The first pass over samples `from` … `upto` - 1. */
static inline ALWAYS_INLINE void weighted_down(const struct weighted *w, const bool is_nan,
                                               int64_t from, int64_t upto)
{
    const struct kernel_args *args = w->args;
    const float *const *source = (const float *const *)args->source;
    const double *taps = args->taps;
    const int32_t rows = args->rows.mask_rows;
    const vd none = vd_set(args->weighted->none), column = vd_set(w->column);
    vd_where all[WEIGHTED_VECTORS];
    int64_t i = from;
    for (int64_t at = from; at + WEIGHTED_GROUP <= upto; at += WEIGHTED_GROUP) {
        int32_t group = (int32_t)(at / WEIGHTED_GROUP);
        bool hopes = w->whole[group] < group; /* nothing was missing in the group before */
        bool is_whole = false;
        i = at;
        PREFETCH_AHEAD(WEIGHTED_GROUP);
        for (int32_t j = 0; j < rows + WEIGHTED_HEIGHT - 1; j++)
            __builtin_prefetch(source[j] + at + WEIGHTED_AHEAD, 0, 3);
        if (hopes) {
            WEIGHTED_DOWN(WEIGHTED_VECTORS, is_nan, true)
            is_whole = weighted_all(all);
        }
        if (!is_whole) {
            WEIGHTED_DOWN(WEIGHTED_VECTORS, is_nan, false)
            is_whole = weighted_all(all);
        }
        w->whole[group + 1] = !is_whole ? group + 1 : hopes ? w->whole[group] : group;
        i += WEIGHTED_GROUP;
    }
    if (i < upto)
        w->whole[i / WEIGHTED_GROUP + 1] = (int32_t)(i / WEIGHTED_GROUP) + 1;
    for (int64_t next = i; next < upto; next += WIDE_LANES) {
        i = place_vector(next, WIDE_LANES, upto);
        WEIGHTED_DOWN(1, is_nan, false)
    }
}

/* Is nothing missing in the samples that results i … i + WEIGHTED_ALONG - 1 depend on? */
static inline bool weighted_whole(const struct weighted *w, int64_t i)
{
    const struct kernel_args *args = w->args;
    int64_t last = i + WEIGHTED_ALONG + (args->tap_count - 1) * args->apart - 1;
    return w->known && w->whole[last / WEIGHTED_GROUP + 1] <= i / WEIGHTED_GROUP;
}

/* The constants of the results, and what most of them do not need. */
struct weighted_end {
    vd all, unit, ratio, bias, least, none, missing, low, high, taken, beside;
    bool is_scaled; /* the unit is not 1 */
    bool is_plain;  /* results are not clamped, and no value is taken */
    bool centred;
};

/* As QUOTIENT, before the bias. */
static inline ALWAYS_INLINE vd weighted_quotient(const struct weighted_end *end, vd n, vd d)
{
    vd_where some = vd_differs(d, end->all);
    vd v = vd_div(n, vd_select(some, d, end->unit));
    return vd_select(some, vd_mul(v, end->ratio), v);
}

static inline ALWAYS_INLINE vd weighted_finish(const struct weighted_end *end, vd v)
{
    v = vd_add(v, end->bias);
    if (end->is_plain)
        return v;
    v = vd_clamp(vd_round_f32(v), end->low, end->high);
    return vd_select(vd_differs(v, end->taken), v, end->beside);
}

/* Computes `units` vectors of results, at sample i. */
#define WEIGHTED_SOME(units, store, to)                                                            \
    {                                                                                              \
        vd n[units], d[units];                                                                     \
        for (int u = 0; u < (units); u++)                                                          \
            n[u] = d[u] = vd_set(0.0);                                                             \
        for (int64_t t = 0; t < args->tap_count; t++) {                                            \
            const double *a = sums + i + t * args->apart, *b = weights + i + t * args->apart;      \
            vd tap = vd_set(along[t]);                                                             \
            for (int u = 0; u < (units); u++) {                                                    \
                n[u] = vd_fma(n[u], tap, vd_load(a + u * WIDE_LANES));                             \
                d[u] = vd_fma(d[u], tap, vd_load(b + u * WIDE_LANES));                             \
            }                                                                                      \
        }                                                                                          \
        for (int u = 0; u < (units); u++) {                                                        \
            vd v = weighted_finish(&end, weighted_quotient(&end, n[u], d[u]));                     \
            vd c = vd_load_f32(centre + i + u * WIDE_LANES);                                       \
            vd_where here = is_nan ? vd_is_number(c) : vd_differs(c, end.missing);                 \
            v = vd_select(vd_reaches(d[u], end.least), v, end.none);                               \
            store((to) + i + u * WIDE_LANES, end.centred ? vd_select(here, v, end.none) : v);      \
        }                                                                                          \
    }

/* The same where nothing is missing. */
#define WEIGHTED_WHOLE(units, store, to)                                                           \
    {                                                                                              \
        vd n[units];                                                                               \
        for (int u = 0; u < (units); u++)                                                          \
            n[u] = vd_set(0.0);                                                                    \
        for (int64_t t = 0; t < args->tap_count; t++) {                                            \
            const double *a = sums + i + t * args->apart;                                          \
            vd tap = vd_set(along[t]);                                                             \
            for (int u = 0; u < (units); u++)                                                      \
                n[u] = vd_fma(n[u], tap, vd_load(a + u * WIDE_LANES));                             \
        }                                                                                          \
        for (int u = 0; u < (units); u++) {                                                        \
            vd v = end.is_scaled ? vd_div(n[u], end.unit) : n[u];                                  \
            store((to) + i + u * WIDE_LANES, weighted_finish(&end, v));                            \
        }                                                                                          \
    }

#define WEIGHTED_AT(store, to)                                                                     \
    {                                                                                              \
        if (weighted_whole(w, i))                                                                  \
            WEIGHTED_WHOLE(UNROLL, store, to)                                                      \
        else                                                                                       \
            WEIGHTED_SOME(UNROLL, store, to)                                                       \
    }

static inline struct weighted_end weighted_end(const struct kernel_args *args)
{
    const struct kernel_weighted *by = args->weighted;
    const struct kernel_quotient *q = &by->quotient;
    bool has_taken = q->beside != q->none && q->none == q->none;
    return (struct weighted_end){.all = vd_set(q->all),
                                 .unit = vd_set(q->unit),
                                 .ratio = vd_set(q->all / q->unit),
                                 .bias = vd_set(args->bias),
                                 .least = vd_set(q->least),
                                 .none = vd_set(q->none),
                                 .missing = vd_set(by->none),
                                 .low = vd_set(args->low),
                                 .high = vd_set(args->high),
                                 .taken = vd_set(has_taken ? q->none : NAN),
                                 .beside = vd_set(q->beside),
                                 .is_scaled = q->unit != 1.0,
                                 .is_plain = !has_taken && isinf(args->low) && isinf(args->high),
                                 .centred = by->centred};
}

/* The second pass over a row, as far as samples up to `ready` allow; returns the first sample that
 * is left. */
static inline ALWAYS_INLINE int64_t weighted_along(const struct weighted *w, const bool is_nan,
                                                   int y, int64_t done, int64_t ready)
{
    const int line_samples = 64 / (int)sizeof(float);
    const struct kernel_args *args = w->args;
    const struct kernel_weighted *by = args->weighted;
    const double *along = (const double *)args->taps + args->rows.mask_rows;
    const double *sums = w->sums + y * w->pitch, *weights = w->weights + y * w->pitch;
    const float *centre = (const float *)args->source[y + by->centre_row] + by->centre;
    const struct weighted_end end = weighted_end(args);
    float *result = args->rows.results[y];
    int64_t i = done;
    if (args->stream && args->count >= 2 * WEIGHTED_ALONG && WEIGHTED_ALONG % line_samples == 0) {
        for (; i < BEFORE_LINE(result); i += WIDE_LANES)
            WEIGHTED_SOME(1, vd_store_f32, result)
        for (i = done > 0 ? done : BEFORE_LINE(result); i + WEIGHTED_ALONG <= ready;
             i += WEIGHTED_ALONG)
            WEIGHTED_AT(vd_stream_f32, result)
    } else {
        for (; i + WEIGHTED_ALONG <= ready; i += WEIGHTED_ALONG)
            WEIGHTED_AT(vd_store_f32, result)
    }
    for (int64_t next = i; ready == args->count && next < ready; next += WIDE_LANES) {
        i = place_vector(next, WIDE_LANES, ready);
        WEIGHTED_SOME(1, vd_store_f32, result)
    }
    return i;
}

static inline ALWAYS_INLINE void weighted_run(const struct weighted *w, const bool is_nan)
{
    const struct kernel_args *args = w->args;
    const int64_t halo = (args->tap_count - 1) * args->apart, all = args->count + halo;
    int64_t done[WEIGHTED_HEIGHT] = {0}, upto;
    w->whole[0] = -1; /* starts with hope */
    for (int64_t from = 0; from < all; from = upto) {
        upto = from + WEIGHTED_STEP;
        upto += from == 0 ? (halo + WEIGHTED_GROUP - 1) / WEIGHTED_GROUP * WEIGHTED_GROUP : 0;
        upto = upto + WIDE_LANES <= all ? upto : all;
        weighted_down(w, is_nan, from, upto);
        for (int y = 0; y < args->rows.height; y++)
            done[y] = weighted_along(w, is_nan, y, done[y], upto - halo);
    }
}

/* One result, as QUOTIENT. */
static inline float weighted_one(const struct kernel_args *args, double n, double d, double centre)
{
    const struct kernel_weighted *by = args->weighted;
    const struct kernel_quotient *q = &by->quotient;
    bool is_here = !by->centred || (by->is_nan ? centre == centre : centre != by->none);
    double v = (d == q->all ? n / q->unit : n / d * (q->all / q->unit)) + args->bias;
    v = clamp_double((float)v, args->low, args->high);
    v = v == q->none && q->beside != q->none ? q->beside : v;
    return (float)(is_here && fabs(d) >= q->least ? v : q->none);
}

/* Rows of less than a vector. */
static inline void weighted_short(const struct weighted *w)
{
    const struct kernel_args *args = w->args;
    const struct kernel_weighted *by = args->weighted;
    const double *taps = args->taps, *along = taps + args->rows.mask_rows;
    for (int y = 0; y < args->rows.height; y++)
        for (int64_t i = 0; i < args->count; i++) {
            const float *centre = (const float *)args->source[y + by->centre_row] + by->centre + i;
            double n = 0.0, d = 0.0;
            for (int64_t t = 0; t < args->tap_count; t++) {
                double sum = 0.0, weight = 0.0;
                for (int32_t j = 0; j < args->rows.mask_rows; j++) {
                    double p = ((const float *)args->source[y + j])[i + t * args->apart];
                    bool is_here = by->is_nan ? p == p : p != by->none;
                    sum = is_here ? fma(taps[j], p, sum) : sum;
                    weight = is_here ? weight + taps[j] : weight;
                }
                n = fma(along[t], sum + 0.0, n);
                d = fma(along[t], weight + 0.0, d);
            }
            ((float *)args->rows.results[y])[i] = weighted_one(args, n, d, *centre);
        }
}

#define DEFINE_WEIGHTED_PASSES(id, src, dst)                                                       \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const struct kernel_quotient *q = &args->weighted->quotient;                               \
        const double *taps = args->taps;                                                           \
        const int64_t samples = args->count + (args->tap_count - 1) * args->apart;                 \
        struct weighted w = {.args = args,                                                         \
                             .sums = args->rows.scratch,                                           \
                             .pitch = kernel_pitch(samples, sizeof(double))};                      \
        double all = 0.0;                                                                          \
        w.weights = w.sums + WEIGHTED_HEIGHT * w.pitch;                                            \
        w.whole = (int32_t *)(w.weights + WEIGHTED_HEIGHT * w.pitch);                              \
        for (int32_t j = 0; j < args->rows.mask_rows; j++)                                         \
            w.column += taps[j];                                                                   \
        for (int64_t t = 0; t < args->tap_count; t++)                                              \
            all = fma(taps[args->rows.mask_rows + t], w.column, all);                              \
        w.known = all == q->all && fabs(all) >= q->least &&                                        \
                  fabs(taps[args->weighted->centre_row]) >= 0x1p-40 * fabs(w.column);              \
        if (args->count < WIDE_LANES)                                                              \
            weighted_short(&w);                                                                    \
        else if (args->weighted->is_nan)                                                           \
            weighted_run(&w, true);                                                                \
        else                                                                                       \
            weighted_run(&w, false);                                                               \
    }
#define ENTRY_WEIGHTED_PASSES(id) KERNEL_NAME(ISA_ID, id)
#else
#define DEFINE_WEIGHTED_PASSES(id, src, dst) /* sums need fused multiply-add */
#define ENTRY_WEIGHTED_PASSES(id)            0
#endif
