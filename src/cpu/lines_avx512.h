/* Non-temporal stores of results from registers with AVX-512, for several rows of any alignment.
 * The lanes of two successive vectors of a row become those of a cache line. */

enum { LINES_ROWS = 4 };

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
