/* Both passes of f32 with 3, 5 or 7 taps each with AVX-512. The vectors between the passes stay in
 * registers: the second pass rotates the lanes of three successive ones by whole taps. So samples
 * are loaded while others are stored, and nothing else is. */

enum { ROTATED_ROWS = PASSES_HEIGHT, ROTATED_TAPS = 7 };
_Static_assert((int)ROTATED_ROWS == (int)LINES_ROWS, "rows are streamed together");

/* Sets m to samples i … i + 15 of the rows between the passes, if all of them exist. */
static inline ALWAYS_INLINE void rotated_down(const struct kernel_args *args, int64_t i,
                                              const int count, __m512 *m)
{
    const float *taps = args->taps;
    UNROLLED
    for (int y = 0; y < ROTATED_ROWS; y++)
        m[y] = _mm512_setzero_ps();
    UNROLLED
    for (int r = 0; r < count + ROTATED_ROWS - 1; r++) {
        const __m512 v = _mm512_loadu_ps((const float *)args->source[r] + i);
        UNROLLED
        for (int y = 0; y < ROTATED_ROWS; y++)
            if (y <= r && r - y < count)
                m[y] = _mm512_fmadd_ps(_mm512_set1_ps(taps[r - y]), v, m[y]);
    }
    UNROLLED
    for (int y = 0; y < ROTATED_ROWS; y++)
        m[y] = _mm512_add_ps(m[y], _mm512_setzero_ps());
}

/* The same at the ends, where some do not exist. */
static void rotated_down_end(const struct kernel_args *args, int64_t i, __m512 *m)
{
    const float *taps = args->taps;
    const __mmask16 lanes = lines_lanes(i, args->count + (args->tap_count - 1) * args->apart);
    for (int y = 0; y < ROTATED_ROWS; y++) {
        m[y] = _mm512_setzero_ps();
        for (int j = 0; j < args->rows.mask_rows; j++) {
            const float *source = (const float *)args->source[y + j] + i;
            m[y] = _mm512_fmadd_ps(_mm512_set1_ps(taps[j]), _mm512_maskz_loadu_ps(lanes, source),
                                   m[y]);
        }
        m[y] = _mm512_add_ps(m[y], _mm512_setzero_ps());
    }
}

/* Sets v to results i … i + 15 of all rows, from three successive vectors of the rows between the
 * passes; `from` are the lanes of each tap, of two of them. */
static inline ALWAYS_INLINE void rotated_across(const struct kernel_args *args, const int count,
                                                const __m512i *from, const __m512 *prev,
                                                const __m512 *cur, const __m512 *next, __m512 *v)
{
    const float *taps = (const float *)args->taps + count;
    UNROLLED
    for (int y = 0; y < ROTATED_ROWS; y++) {
        v[y] = _mm512_setzero_ps();
        UNROLLED
        for (int t = 0; t < count; t++) {
            __m512 at = t < count / 2   ? _mm512_permutex2var_ps(prev[y], from[t], cur[y])
                        : t > count / 2 ? _mm512_permutex2var_ps(cur[y], from[t], next[y])
                                        : cur[y];
            v[y] = _mm512_fmadd_ps(_mm512_set1_ps(taps[t]), at, v[y]);
        }
        v[y] = _mm512_add_ps(v[y], _mm512_set1_ps((float)args->bias));
        v[y] = vf_clamp(v[y], _mm512_set1_ps((float)args->low), _mm512_set1_ps((float)args->high));
    }
}

#define ROTATED_COPY(to, from)                                                                     \
    UNROLLED                                                                                       \
    for (int y = 0; y < ROTATED_ROWS; y++)                                                         \
        (to)[y] = (from)[y];

static inline ALWAYS_INLINE void rotated_rows(const struct kernel_args *args, const int count)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const int64_t middle = count / 2 * args->apart, all = args->count + 2 * middle;
    struct lines lines;
    __m512i from[ROTATED_TAPS];
    __m512 prev[ROTATED_ROWS], cur[ROTATED_ROWS], next[ROTATED_ROWS], v[ROTATED_ROWS];
    int64_t i = 0;
    UNROLLED
    for (int t = 0; t < count; t++)
        from[t] = _mm512_add_epi32(
            lane, _mm512_set1_epi32((t - count / 2) * (int32_t)args->apart + (t < count / 2) * 16));
    lines_begin(args, &lines);
    rotated_down_end(args, middle - 16, v);
    ROTATED_COPY(prev, v)
    rotated_down_end(args, middle, v);
    ROTATED_COPY(cur, v)
    for (; i < args->count; i += 16) {
        if (middle + i + 32 <= all) {
            rotated_down(args, middle + i + 16, count, next);
        } else {
            rotated_down_end(args, middle + i + 16, v);
            ROTATED_COPY(next, v)
        }
        for (int y = 0; args->ahead && y < args->rows.height; y++)
            prefetch_near((const float *)args->ahead[y] + i);
        rotated_across(args, count, from, prev, cur, next, v);
        for (int y = 0; y < ROTATED_ROWS; y++)
            lines_store(&lines, y, i, &v[y], 1);
        ROTATED_COPY(prev, cur)
        ROTATED_COPY(cur, next)
    }
    lines_end(&lines, i);
}

#define ROTATED(taps)                                                                              \
    static void rotated_##taps(const struct kernel_args *args)                                     \
    {                                                                                              \
        rotated_rows(args, taps);                                                                  \
    }
ROTATED(3)
ROTATED(5)
ROTATED(7)

/* Computes the results if they are streamed and there is a function for these taps. Results that
 * stay in the caches take as long with the rows between the passes in memory, or less. */
static bool rotated_passes(const struct kernel_args *args)
{
    static kernel *const kernels[] = {rotated_3, rotated_5, rotated_7};
    const int64_t count = args->tap_count, half = count / 2;
    if (!args->stream || count != args->rows.mask_rows || count % 2 == 0 ||
        half > ROTATED_TAPS / 2 || half * args->apart > 16)
        return false;
    kernels[half - 1](args);
    return true;
}
