/* Applies a row of taps to 16 rows at once with AVX-512. Samples are transposed so that a vector
 * holds one column of all rows. A neighbour in the row is then another vector, never an unaligned
 * load, and each vector contributes to eight results. */

/* Transposes 16 vectors of 16 elements: element j of vector i becomes element i of vector j. */
static inline void across_turn(__m512 v[16])
{
    __m512 t[16];
    for (int i = 0; i < 16; i += 2) { /* pairs of rows, within each 128-bit quarter */
        t[i] = _mm512_unpacklo_ps(v[i], v[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(v[i], v[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) /* four rows: vector i + k holds element k of each quarter */
        for (int k = 0; k < 2; k++) {
            __m512d a = _mm512_castps_pd(t[i + k]), b = _mm512_castps_pd(t[i + 2 + k]);
            v[i + 2 * k] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
            v[i + 2 * k + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
    for (int k = 0; k < 4; k++) { /* quarters of all four groups of rows */
        __m512 a = _mm512_shuffle_f32x4(v[k], v[4 + k], 0x44);
        __m512 b = _mm512_shuffle_f32x4(v[k], v[4 + k], 0xee);
        __m512 c = _mm512_shuffle_f32x4(v[8 + k], v[12 + k], 0x44);
        __m512 d = _mm512_shuffle_f32x4(v[8 + k], v[12 + k], 0xee);
        t[k] = _mm512_shuffle_f32x4(a, c, 0x88);
        t[4 + k] = _mm512_shuffle_f32x4(a, c, 0xdd);
        t[8 + k] = _mm512_shuffle_f32x4(b, d, 0x88);
        t[12 + k] = _mm512_shuffle_f32x4(b, d, 0xdd);
    }
    for (int i = 0; i < 16; i++)
        v[i] = t[i];
}

static inline __mmask16 across_lanes(int64_t i, int64_t count)
{
    return count - i < 16 ? (__mmask16)((1u << (count - i)) - 1) : (__mmask16)0xffff;
}

/* Transposes columns from `from` on, up to `upto` of `count` or beyond; returns where it ended. */
static inline int64_t across_load(const struct kernel_args *args, int64_t from, int64_t upto,
                                  int64_t count, float *turned)
{
    for (; from < upto; from += 16) {
        __m512 v[16];
        for (int y = 0; y < 16; y++) {
            const float *row = args->source[y < args->rows.height ? y : 0];
            v[y] = _mm512_maskz_loadu_ps(across_lanes(from, count), row + from);
        }
        across_turn(v);
        for (int k = 0; k < 16; k++)
            _mm512_store_ps(turned + 16 * (from + k), v[k]);
    }
    return from;
}

/* Stores the results from `from` on, and returns where it ended: at `upto` or, if that is not the
 * end of the row, up to 15 columns before. */
static inline int64_t across_store(const struct kernel_args *args, int64_t from, int64_t upto,
                                   const float *turned)
{
    for (; from + 15 < upto || (from < upto && upto == args->count); from += 16) {
        __m512 v[16];
        for (int k = 0; k < 16; k++)
            v[k] = _mm512_load_ps(turned + 16 * (from + k));
        across_turn(v);
        for (int y = 0; y < 16; y++)
            if (y < args->rows.height)
                _mm512_mask_storeu_ps((float *)args->rows.results[y] + from,
                                      across_lanes(from, args->count), v[y]);
    }
    return from;
}

/* Adds column j to results first … last of each unit, each result with its own tap. The compiler
 * must not keep taps for the next column: to spread them from registers takes longer. */
#define ACROSS_ADD(units, j, first, last)                                                          \
    {                                                                                              \
        const float *tap = weights + (j);                                                          \
        __m512 v[units];                                                                           \
        __asm__("" : "+r"(tap));                                                                   \
        for (int u = 0; u < (units); u++)                                                          \
            v[u] = _mm512_load_ps(turned + 16 * (x + (u * MANY + (j)) * apart));                   \
        UNROLLED                                                                                   \
        for (int m = first; m <= (last); m++) {                                                    \
            const __m512 t = _mm512_set1_ps(tap[-m]);                                              \
            for (int u = 0; u < (units); u++)                                                      \
                acc[m][u] = _mm512_fmadd_ps(t, v[u], acc[m][u]);                                   \
        }                                                                                          \
    }

/* Computes `units` times MANY results of all rows at x, x + apart … in place; later results do not
 * read these columns. The first columns reach only some of the results of a unit, and so do the
 * last. */
#define ACROSS_AT(units)                                                                           \
    {                                                                                              \
        __m512 acc[MANY][units];                                                                   \
        for (int m = 0; m < MANY; m++)                                                             \
            for (int u = 0; u < (units); u++)                                                      \
                acc[m][u] = _mm512_setzero_ps();                                                   \
        UNROLLED                                                                                   \
        for (int j = 0; j < MANY - 1; j++)                                                         \
            ACROSS_ADD(units, j, 0, j)                                                             \
        for (int64_t j = MANY - 1; j < taps; j++)                                                  \
            ACROSS_ADD(units, j, 0, MANY - 1)                                                      \
        UNROLLED                                                                                   \
        for (int k = 1; k < MANY; k++)                                                             \
            ACROSS_ADD(units, taps - 1 + k, k, MANY - 1)                                           \
        for (int m = 0; m < MANY; m++)                                                             \
            for (int u = 0; u < (units); u++)                                                      \
                across_finish(args, acc[m][u], turned + 16 * (x + (u * MANY + m) * apart));        \
    }

static inline void across_finish(const struct kernel_args *args, __m512 sum, float *result)
{
    sum = _mm512_add_ps(sum, _mm512_set1_ps((float)args->bias));
    sum = _mm512_max_ps(_mm512_set1_ps((float)args->low), sum);
    _mm512_store_ps(result, _mm512_min_ps(_mm512_set1_ps((float)args->high), sum));
}

/* Computes columns from `at` on, units of MANY times `apart` and then the last ones. */
static void across_part(const struct kernel_args *args, int64_t at, int64_t upto, float *turned)
{
    enum { MANY = KERNEL_ACROSS_TAPS };
    const float *weights = args->taps;
    const int64_t taps = args->tap_count, apart = args->apart;
    for (; at + 2 * MANY * apart <= upto; at += 2 * MANY * apart)
        for (int64_t x = at; x < at + apart; x++)
            ACROSS_AT(2)
    for (; at + MANY * apart <= upto; at += MANY * apart)
        for (int64_t x = at; x < at + apart; x++)
            ACROSS_AT(1)
    for (; at < upto; at++) {
        __m512 sum = _mm512_setzero_ps();
        for (int64_t j = 0; j < taps; j++)
            sum = _mm512_fmadd_ps(_mm512_set1_ps(weights[j]),
                                  _mm512_load_ps(turned + 16 * (at + j * apart)), sum);
        across_finish(args, sum, turned + 16 * at);
    }
}

/* Part by part, so that columns stay in the first-level cache from one step to the next. */
static void across_f32_f32(const struct kernel_args *args)
{
    const int64_t halo = (args->tap_count - 1) * args->apart, count = args->count;
    const int64_t part = 2 * KERNEL_ACROSS_TAPS * args->apart;
    float *turned = args->rows.scratch;
    int64_t loaded = 0, stored = 0;
    for (int64_t at = 0; at < count; at += part) {
        const int64_t upto = at + part < count ? at + part : count;
        loaded = across_load(args, loaded, upto + halo, count + halo, turned);
        across_part(args, at, upto, turned);
        stored = across_store(args, stored, upto, turned);
    }
}
