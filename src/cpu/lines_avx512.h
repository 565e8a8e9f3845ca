/* Non-temporal stores of results from registers with AVX-512, for several rows of any alignment.
 * The lanes of two successive vectors of a row become those of a cache line. */

enum { LINES_ROWS = LOW_HEIGHT };

struct lines {
    float *result[LINES_ROWS];
    int64_t count[LINES_ROWS]; /* 0: the row is not wanted */
    int32_t shift[LINES_ROWS]; /* samples from the start of a line to that of a vector */
    __m512i from[LINES_ROWS];  /* lanes of a line, of the vector before it and its own */
    __m512 before[LINES_ROWS]; /* the vector that was stored last */
};

/* The lanes that are samples 0 … count - 1, where lane 0 is sample i, at least -16. */
static inline __mmask16 lines_lanes(int64_t i, int64_t count)
{
    uint32_t lanes = i + 16 <= count ? 0xffff : i < count ? (1u << (count - i)) - 1 : 0;
    return (__mmask16)(i < 0 ? lanes & (0xffffu << -i) : lanes);
}

static inline void lines_begin(const struct kernel_args *args, struct lines *lines)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int y = 0; y < LINES_ROWS; y++) {
        lines->count[y] = y < args->rows.height ? args->count : 0;
        lines->result[y] = args->rows.results[y < args->rows.height ? y : 0];
        lines->shift[y] = (int32_t)((uintptr_t)lines->result[y] / sizeof(float) % 16);
        lines->from[y] = _mm512_add_epi32(lane, _mm512_set1_epi32(16 - lines->shift[y]));
        lines->before[y] = _mm512_setzero_ps();
    }
}

/* Stores `units` vectors of row y from sample i on, except what reaches into the next line. */
static inline ALWAYS_INLINE void lines_store(struct lines *lines, int y, int64_t i, const vf *v,
                                             const int units)
{
    const int64_t count = lines->count[y];
    __m512 before = lines->before[y];
    UNROLLED
    for (int u = 0; u < units; u++) {
        const int64_t at = i + 16 * u - lines->shift[y];
        const __m512 line = _mm512_permutex2var_ps(before, lines->from[y], v[u]);
        if (at >= 0 && at + 16 <= count)
            _mm512_stream_ps(lines->result[y] + at, line);
        else
            _mm512_mask_storeu_ps(lines->result[y] + at, lines_lanes(at, count), line);
        before = v[u];
    }
    lines->before[y] = before;
}

/* Stores the rest of all rows, before sample i. */
static inline void lines_end(struct lines *lines, int64_t i)
{
    const vf none = _mm512_setzero_ps();
    for (int y = 0; y < LINES_ROWS; y++) {
        lines->count[y] = lines->count[y] < i ? lines->count[y] : i;
        lines_store(lines, y, i, &none, 1);
    }
}

/* Sums of a mask of 3 × 3 with taps in registers, from sample i on. */
static inline ALWAYS_INLINE void lines_sum_3x3(const struct kernel_args *args,
                                               const float *const *source, int64_t i,
                                               const vf *kept, vf (*acc)[FLOAT_UNITS])
{
    enum { units = SMALL_VECTORS };
    FLOAT_CLEAR(f32, LINES_ROWS, units)
    FLOAT_KEPT_ROW(f32, 0, 0, 0)
    FLOAT_KEPT_ROW(f32, 1, 0, 1)
    FLOAT_KEPT_ROW(f32, 2, 0, 2)
    FLOAT_KEPT_ROW(f32, 3, 1, 3)
    FLOAT_KEPT_ROW(f32, 4, 2, 3)
    FLOAT_KEPT_ROW(f32, 5, 3, 3)
}

/* Masks of 3 × 3: streams rows from `from` on, at least a group of vectors
 * of each; returns the first that is left. The last group is stored, where it overlaps the one
 * before. Rows that are not wanted are stored first, where the first one overwrites them. */
static int32_t lines_3x3(const struct kernel_args *all, int32_t from)
{
    enum { units = SMALL_VECTORS, GROUP = units * FLOAT_LANES };
    struct kernel_args part = *all, *const args = &part;
    const float *const *source = (const float *const *)all->source + from;
    const vf bias = vf_set((float)all->bias), low = vf_set((float)all->low);
    const vf high = vf_set((float)all->high);
    struct lines lines;
    vf kept[9], acc[FLOAT_ROWS][FLOAT_UNITS];
    int64_t at = 0;
    args->rows.results += from;
    args->rows.height = all->rows.height - from < LINES_ROWS ? all->rows.height - from : LINES_ROWS;
    args->ahead = all->ahead ? all->ahead + from : NULL;
    for (int t = 0; t < 9; t++)
        kept[t] = vf_set(((const float *)all->taps)[t]);
    lines_begin(args, &lines);
    for (; at < all->count; at += GROUP) {
        const bool streams = at + GROUP <= all->count;
        const int64_t i = place_vector(at, GROUP, all->count);
        PREFETCH_AHEAD(GROUP);
        lines_sum_3x3(args, source, i, kept, acc);
        if (!streams)
            lines_end(&lines, at);
        UNROLLED
        for (int y = LINES_ROWS - 1; y >= 0; y--) {
            UNROLLED
            for (int u = 0; u < units; u++)
                acc[y][u] = vf_clamp(vf_add(acc[y][u], bias), low, high);
            if (streams)
                lines_store(&lines, y, i, acc[y], units);
            UNROLLED
            for (int u = 0; u < units; u++)
                if (!streams)
                    vf_store(lines.result[y] + i + u * FLOAT_LANES, acc[y][u]);
        }
    }
    if (all->count % GROUP == 0)
        lines_end(&lines, all->count);
    return from + LINES_ROWS;
}
