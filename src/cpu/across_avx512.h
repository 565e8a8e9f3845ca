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

static inline void across_load(const struct kernel_args *args, int64_t count, float *turned)
{
    for (int64_t i = 0; i < count; i += 16) {
        __m512 v[16];
        for (int y = 0; y < 16; y++) {
            const float *row = args->source[y < args->rows.height ? y : 0];
            v[y] = _mm512_maskz_loadu_ps(across_lanes(i, count), row + i);
        }
        across_turn(v);
        for (int k = 0; k < 16; k++)
            _mm512_store_ps(turned + 16 * (i + k), v[k]);
    }
}

static inline void across_store(const struct kernel_args *args, const float *turned)
{
    for (int64_t i = 0; i < args->count; i += 16) {
        __m512 v[16];
        for (int k = 0; k < 16; k++)
            v[k] = _mm512_load_ps(turned + 16 * (i + k));
        across_turn(v);
        for (int y = 0; y < 16; y++)
            if (y < args->rows.height)
                _mm512_mask_storeu_ps((float *)args->rows.results[y] + i,
                                      across_lanes(i, args->count), v[y]);
    }
}

/* Computes `many` results of all rows at x, x + apart … in place; later results do not read these
 * columns. */
#define ACROSS_AT(many)                                                                            \
    {                                                                                              \
        __m512 acc[many];                                                                          \
        for (int m = 0; m < (many); m++)                                                           \
            acc[m] = _mm512_setzero_ps();                                                          \
        int64_t j = 0;                                                                             \
        for (; j < (many)-1 && j < taps; j++)                                                      \
            ACROSS_ADD(many, 0, j)                                                                 \
        for (; j < taps; j++)                                                                      \
            ACROSS_ADD(many, 0, (many)-1)                                                          \
        for (; j < taps + (many)-1; j++)                                                           \
            ACROSS_ADD(many, j - taps + 1, (many)-1)                                               \
        for (int m = 0; m < (many); m++)                                                           \
            _mm512_store_ps(turned + 16 * (x + m * apart),                                         \
                            _mm512_min_ps(high, _mm512_max_ps(low, _mm512_add_ps(acc[m], bias)))); \
    }

/* Adds column j to results first … last, each with its own tap. */
#define ACROSS_ADD(many, first, last)                                                              \
    {                                                                                              \
        __m512 v = _mm512_load_ps(turned + 16 * (x + j * apart));                                  \
        for (int m = 0; m < (many); m++)                                                           \
            if (m >= (first) && m <= (last) && j - m < taps)                                       \
                acc[m] = _mm512_fmadd_ps(_mm512_set1_ps(weights[j - m]), v, acc[m]);               \
    }

static void across_f32_f32(const struct kernel_args *args)
{
    enum { MANY = KERNEL_ACROSS_TAPS };
    const float *weights = args->taps;
    const int64_t taps = args->tap_count, apart = args->apart;
    const __m512 low = _mm512_set1_ps((float)args->low), high = _mm512_set1_ps((float)args->high);
    const __m512 bias = _mm512_set1_ps((float)args->bias);
    float *turned = args->rows.scratch;
    int64_t at = 0;
    across_load(args, args->count + (taps - 1) * apart, turned);
    for (; at + MANY * apart <= args->count; at += MANY * apart)
        for (int64_t x = at; x < at + apart; x++)
            ACROSS_AT(MANY)
    for (int64_t x = at; x < args->count; x++)
        ACROSS_AT(1)
    across_store(args, turned);
}
