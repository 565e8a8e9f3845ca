/* The transforms for one type, REAL; NAMED(x) is x with the type's name appended. Included by
 * fourier_isa.c. Decimation in frequency forward and its mirror image back, so that bins are never
 * reordered. */

typedef REAL vector __attribute__((vector_size(VECTOR_BYTES), may_alias));
/* Samples of other types, as many as a vector has lanes. */
typedef uint8_t NAMED(some_u8) __attribute__((vector_size(LANES)));
typedef uint16_t NAMED(some_u16) __attribute__((vector_size(2 * LANES)));
typedef int16_t NAMED(some_s16) __attribute__((vector_size(2 * LANES)));
typedef int32_t NAMED(some_s32) __attribute__((vector_size(4 * LANES)));
typedef float NAMED(some_f32) __attribute__((vector_size(4 * LANES)));
typedef BITS mask __attribute__((vector_size(VECTOR_BYTES), may_alias));

struct point {
    vector re, im;
};

/* The layout of the points of a pass: point i is at 2·LANES·i. */
struct spread {
    REAL *re, *im;
};

INLINE vector NAMED(all)(REAL v)
{
    return (vector){SAME(v)};
}

INLINE struct point NAMED(load)(struct spread from, int64_t i)
{
    return (struct point){*(const vector *)(from.re + 2 * LANES * i),
                          *(const vector *)(from.im + 2 * LANES * i)};
}

INLINE void NAMED(store)(struct spread to, int64_t i, struct point p)
{
    *(vector *)(to.re + 2 * LANES * i) = p.re;
    *(vector *)(to.im + 2 * LANES * i) = p.im;
}

INLINE struct point NAMED(plus)(struct point a, struct point b)
{
    return (struct point){a.re + b.re, a.im + b.im};
}

INLINE struct point NAMED(minus)(struct point a, struct point b)
{
    return (struct point){a.re - b.re, a.im - b.im};
}

/* a − i·b */
INLINE struct point NAMED(minus_i)(struct point a, struct point b)
{
    return (struct point){a.re + b.im, a.im - b.re};
}

/* a + i·b */
INLINE struct point NAMED(plus_i)(struct point a, struct point b)
{
    return (struct point){a.re - b.im, a.im + b.re};
}

INLINE struct point NAMED(turn)(struct point p, const REAL *twiddle)
{
    vector c = NAMED(all)(twiddle[0]), s = NAMED(all)(twiddle[1]);
    return (struct point){p.re * c - p.im * s, p.re * s + p.im * c};
}

INLINE void NAMED(butterfly_2)(struct point *x)
{
    struct point a = x[0];
    x[0] = NAMED(plus)(a, x[1]);
    x[1] = NAMED(minus)(a, x[1]);
}

INLINE void NAMED(butterfly_3)(struct point *x)
{
    vector half = NAMED(all)((REAL)0.5), s = NAMED(all)((REAL)0.86602540378443864676L);
    struct point sum = NAMED(plus)(x[1], x[2]), gap = NAMED(minus)(x[1], x[2]);
    struct point middle = {x[0].re - half * sum.re, x[0].im - half * sum.im};
    x[0] = NAMED(plus)(x[0], sum);
    x[1] = (struct point){middle.re + s * gap.im, middle.im - s * gap.re};
    x[2] = (struct point){middle.re - s * gap.im, middle.im + s * gap.re};
}

INLINE void NAMED(butterfly_4)(struct point *x)
{
    struct point a = NAMED(plus)(x[0], x[2]), b = NAMED(minus)(x[0], x[2]);
    struct point c = NAMED(plus)(x[1], x[3]), d = NAMED(minus)(x[1], x[3]);
    x[0] = NAMED(plus)(a, c);
    x[1] = NAMED(minus_i)(b, d);
    x[2] = NAMED(minus)(a, c);
    x[3] = NAMED(plus_i)(b, d);
}

INLINE void NAMED(butterfly_5)(struct point *x)
{
    vector c1 = NAMED(all)((REAL)0.30901699437494742410L);
    vector c2 = NAMED(all)((REAL)-0.80901699437494742410L);
    vector s1 = NAMED(all)((REAL)0.95105651629515357212L);
    vector s2 = NAMED(all)((REAL)0.58778525229247312917L);
    struct point a = NAMED(plus)(x[1], x[4]), b = NAMED(plus)(x[2], x[3]);
    struct point c = NAMED(minus)(x[1], x[4]), d = NAMED(minus)(x[2], x[3]);
    struct point p = {x[0].re + c1 * a.re + c2 * b.re, x[0].im + c1 * a.im + c2 * b.im};
    struct point q = {x[0].re + c2 * a.re + c1 * b.re, x[0].im + c2 * a.im + c1 * b.im};
    struct point r = {s1 * c.re + s2 * d.re, s1 * c.im + s2 * d.im};
    struct point t = {s2 * c.re - s1 * d.re, s2 * c.im - s1 * d.im};
    x[0] = NAMED(plus)(x[0], NAMED(plus)(a, b));
    x[1] = NAMED(minus_i)(p, r);
    x[4] = NAMED(plus_i)(p, r);
    x[2] = NAMED(minus_i)(q, t);
    x[3] = NAMED(plus_i)(q, t);
}

/* Consists of two radix-4 levels and one radix-2 level, with rotations by eighths of a turn in
 * between. */
INLINE void NAMED(butterfly_8)(struct point *x)
{
    vector h = NAMED(all)((REAL)0.70710678118654752440L);
    struct point a[4], b[4];
    for (int i = 0; i < 4; i++) {
        a[i] = NAMED(plus)(x[i], x[i + 4]);
        b[i] = NAMED(minus)(x[i], x[i + 4]);
    }
    b[1] = (struct point){h * (b[1].re + b[1].im), h * (b[1].im - b[1].re)};
    b[2] = (struct point){b[2].im, -b[2].re};
    b[3] = (struct point){h * (b[3].im - b[3].re), -h * (b[3].re + b[3].im)};
    NAMED(butterfly_4)(a);
    NAMED(butterfly_4)(b);
    for (int i = 0; i < 4; i++) {
        x[2 * i] = a[i];
        x[2 * i + 1] = b[i];
    }
}

INLINE void NAMED(butterfly)(int radix, struct point *x)
{
    if (radix == 2)
        NAMED(butterfly_2)(x);
    else if (radix == 3)
        NAMED(butterfly_3)(x);
    else if (radix == 4)
        NAMED(butterfly_4)(x);
    else if (radix == 5)
        NAMED(butterfly_5)(x);
    else
        NAMED(butterfly_8)(x);
}

/* Butterflies over `radix * rest` points. Twiddle factors are applied after the butterfly forward,
 * before it in the inverse. The last distance, 1, has none. */
INLINE void NAMED(butterflies)(int radix, bool back, const struct fourier_pass *pass,
                               struct spread at)
{
    const REAL *twiddles = pass->twiddles;
    for (int64_t k = 0; k < pass->rest; k++, twiddles += 2 * (radix - 1)) {
        struct point x[8];
        for (int j = 0; j < radix; j++)
            x[j] = NAMED(load)(at, k + j * pass->rest);
        for (int j = 1; back && pass->rest > 1 && j < radix; j++)
            x[j] = NAMED(turn)(x[j], twiddles + 2 * (j - 1));
        NAMED(butterfly)(radix, x);
        for (int j = 1; !back && pass->rest > 1 && j < radix; j++)
            x[j] = NAMED(turn)(x[j], twiddles + 2 * (j - 1));
        for (int j = 0; j < radix; j++)
            NAMED(store)(at, k + j * pass->rest, x[j]);
    }
}

INLINE struct spread NAMED(moved)(struct spread at, int64_t points)
{
    return (struct spread){at.re + 2 * LANES * points, at.im + 2 * LANES * points};
}

INLINE void NAMED(all_butterflies)(int radix, bool back, const struct fourier_pass *pass,
                                   int64_t points, struct spread at)
{
    int64_t size = (int64_t)pass->radix * pass->rest;
    for (int64_t i = 0; i < points; i += size)
        NAMED(butterflies)(radix, back, pass, NAMED(moved)(at, i));
}

/* Runs one pass over `points` points. */
INLINE void NAMED(pass)(bool back, const struct fourier_pass *pass, int64_t points,
                        struct spread at)
{
    if (pass->radix == 2)
        NAMED(all_butterflies)(2, back, pass, points, at);
    else if (pass->radix == 3)
        NAMED(all_butterflies)(3, back, pass, points, at);
    else if (pass->radix == 4)
        NAMED(all_butterflies)(4, back, pass, points, at);
    else if (pass->radix == 5)
        NAMED(all_butterflies)(5, back, pass, points, at);
    else
        NAMED(all_butterflies)(8, back, pass, points, at);
}

static void NAMED(there)(const struct fourier_pass *pass, int64_t points, struct spread at)
{
    NAMED(pass)(false, pass, points, at);
}

static void NAMED(back)(const struct fourier_pass *pass, int64_t points, struct spread at)
{
    NAMED(pass)(true, pass, points, at);
}

INLINE vector NAMED(low_halves)(vector a, vector b)
{
    return __builtin_shufflevector(a, b, LOW);
}

INLINE vector NAMED(high_halves)(vector a, vector b)
{
    return __builtin_shufflevector(a, b, HIGH);
}

/* Transposes `LANES` vectors: they are interleaved half by half. */
INLINE void NAMED(transpose)(vector *v)
{
    for (int level = 1; level < LANES; level *= 2) {
        vector from[LANES];
        for (int i = 0; i < LANES; i++)
            from[i] = v[i];
        for (int i = 0; i < LANES / 2; i++) {
            v[2 * i] = NAMED(low_halves)(from[i], from[i + LANES / 2]);
            v[2 * i + 1] = NAMED(high_halves)(from[i], from[i + LANES / 2]);
        }
    }
}

/* Runs the first pass over all points, then all others over each of its parts while the part is in
 * the first-level cache. */
static void NAMED(forward)(const struct fourier_size *size, void *work, void *bins, int64_t rows)
{
    struct spread at = {work, (REAL *)work + LANES};
    int64_t part = size->pass[0].rest;
    NAMED(there)(&size->pass[0], size->points, at);
    for (int64_t i = 0; i < size->points; i += part)
        for (int32_t p = 1; p < size->pass_count; p++)
            NAMED(there)(&size->pass[p], part, NAMED(moved)(at, i));
    for (int64_t i = 0; i < size->points; i += LANES)
        for (int half = 0; half < 2; half++) {
            const vector *from = (const vector *)((REAL *)work + 2 * LANES * i + LANES * half);
            vector *to = (vector *)((REAL *)bins + 2 * rows * i + LANES * half), v[LANES];
            for (int r = 0; r < LANES; r++)
                v[r] = from[2 * r];
            NAMED(transpose)(v);
            for (int r = 0; r < LANES; r++)
                to[2 * r] = v[r];
        }
}

/* The inverse is the forward transform with real and imaginary parts exchanged. */
static void NAMED(inverse)(const struct fourier_size *size, const void *bins, int64_t rows,
                           void *work)
{
    struct spread at = {(REAL *)work + LANES, work};
    int64_t part = size->pass[0].rest;
    for (int64_t i = 0; i < size->points; i += LANES)
        for (int half = 0; half < 2; half++) {
            const vector *from = (const vector *)((const REAL *)bins + 2 * rows * i + LANES * half);
            vector *to = (vector *)((REAL *)work + 2 * LANES * i + LANES * half), v[LANES];
            for (int r = 0; r < LANES; r++)
                v[r] = from[2 * r];
            NAMED(transpose)(v);
            for (int r = 0; r < LANES; r++)
                to[2 * r] = v[r];
        }
    for (int64_t i = 0; i < size->points; i += part)
        for (int32_t p = size->pass_count - 1; p > 0; p--)
            NAMED(back)(&size->pass[p], part, NAMED(moved)(at, i));
    NAMED(back)(&size->pass[0], size->points, at);
}

/* Adds up to FOURIER_CHUNK products for a few rows, in four independent sums each, which reduces
 * rounding errors. */
INLINE void NAMED(chunk)(const struct fourier_product *p, const vector *rows, const vector *taps,
                         int32_t first, int32_t last, struct point *sums)
{
    vector rr[ROWS_AT_ONCE], ii[ROWS_AT_ONCE], ri[ROWS_AT_ONCE], ir[ROWS_AT_ONCE];
    for (int u = 0; u < ROWS_AT_ONCE; u++)
        rr[u] = ii[u] = ri[u] = ir[u] = (vector){0};
    for (int32_t t = first; t < last; t++) {
        vector re = taps[2 * t], im = taps[2 * t + 1];
        const vector *at = rows + 2 * p->row[t];
        for (int u = 0; u < ROWS_AT_ONCE; u++) {
            /* loaded once: as operands of the products they would be loaded twice */
            vector x = *(const volatile vector *)&at[2 * u];
            vector y = *(const volatile vector *)&at[2 * u + 1];
            rr[u] += re * x;
            ii[u] += im * y;
            ri[u] += re * y;
            ir[u] += im * x;
        }
    }
    for (int u = 0; u < ROWS_AT_ONCE; u++) {
        sums[u].re += rr[u] - ii[u];
        sums[u].im += ri[u] + ir[u];
    }
}

/* Results overwrite the first row that they are computed from, which later results do not need. */
static void NAMED(multiply)(const struct fourier_product *p)
{
    for (int64_t i = 0; i < p->points; i += LANES) {
        vector *rows = (vector *)((REAL *)p->bins + 2 * p->rows * i);
        const vector *taps = (const vector *)((const REAL *)p->taps + 2 * p->tap_count * i);
        for (int64_t y = 0; y < p->count; y += ROWS_AT_ONCE) {
            struct point sums[ROWS_AT_ONCE];
            for (int u = 0; u < ROWS_AT_ONCE; u++)
                sums[u] = (struct point){NAMED(all)(0), NAMED(all)(0)};
            for (int32_t t = 0; t < p->tap_count; t += FOURIER_CHUNK) {
                int32_t last = t + FOURIER_CHUNK < p->tap_count ? t + FOURIER_CHUNK : p->tap_count;
                NAMED(chunk)(p, rows + 2 * y, taps, t, last, sums);
            }
            for (int u = 0; u < ROWS_AT_ONCE; u++) {
                rows[2 * (y + u)] = sums[u].re;
                rows[2 * (y + u) + 1] = sums[u].im;
            }
        }
    }
}

/* Iterates over the work of all channels in the order of samples in an interleaved row. */
struct walk {
    vector *at;
    int32_t channel;
};

INLINE struct walk NAMED(walk_to)(const struct fourier_sections *sections, int64_t pixel, int part)
{
    return (struct walk){(vector *)sections->work + 2 * pixel + part, 0};
}

INLINE vector *NAMED(walk_on)(const struct fourier_sections *sections, struct walk *walk)
{
    vector *here = walk->at;
    bool wraps = ++walk->channel == sections->step;
    int64_t next = 2 * (int64_t)sections->points;
    walk->at += wraps ? 2 - next * (sections->step - 1) : next;
    walk->channel = wraps ? 0 : walk->channel;
    return here;
}

/* Fills the rest of a section that is shorter than its transform with zeros. */
static void NAMED(clear_rest)(const struct fourier_sections *sections, int part)
{
    struct walk walk = NAMED(walk_to)(sections, sections->count[part], part);
    int64_t samples = (sections->points - sections->count[part]) * sections->step;
    for (int64_t i = 0; i < samples; i++)
        *NAMED(walk_on)(sections, &walk) = NAMED(all)(0);
}

INLINE vector NAMED(select)(mask which, vector a, vector b)
{
    return (vector)((which & (mask)a) | (~which & (mask)b));
}

/* Converts through 32-bit integers, which hold all values. */
#define NARROW(type)                                                                               \
    INLINE NAMED(some_##type) NAMED(narrow_##type)(vector v)                                       \
    {                                                                                              \
        return __builtin_convertvector(__builtin_convertvector(v, NAMED(some_s32)),                \
                                       NAMED(some_##type));                                        \
    }

/* Rounds and clamps results for storing. Whole numbers are far below 2^51. */
INLINE vector NAMED(finish)(const struct fourier_output *out, bool whole, vector v)
{
    vector low = NAMED(all)((REAL)out->low), high = NAMED(all)((REAL)out->high);
    if (whole) {
        vector shift = NAMED(all)((REAL)0x1.8p52), one = NAMED(all)(1);
        vector add = NAMED(all)((REAL)out->add), scale = NAMED(all)((REAL)out->scale);
        v = ((v + shift) - shift + add) * scale;
        vector near = (v + shift) - shift; /* the nearest whole number, then the floor */
        v = near - NAMED(select)(near > v, one, NAMED(all)(0));
    } else {
        v += NAMED(all)((REAL)out->add);
    }
    v = NAMED(select)(v < low, low, v);
    return NAMED(select)(v > high, high, v);
}

/* Returns NaN for samples that are not finite: infinity times 0 is NaN, and a sum with a NaN is
 * NaN. */
INLINE vector NAMED(nan_where_invalid)(const struct fourier_input *in, vector v)
{
    return v * NAMED(all)((REAL)in->too_large) * NAMED(all)(0);
}

#define GATHER(type)                                                                               \
    static void NAMED(gather_##type)(const struct fourier_input *in)                               \
    {                                                                                              \
        const struct fourier_sections *sections = &in->sections;                                   \
        vector centre = NAMED(all)((REAL)in->centre), invalid = NAMED(all)(0);                     \
        for (int part = 0; part < 2; part++) {                                                     \
            struct walk walk = NAMED(walk_to)(sections, 0, part);                                  \
            int64_t samples = sections->count[part] * sections->step;                              \
            int64_t start = part * sections->distance * sections->step;                            \
            for (int64_t i = 0; i < samples; i += LANES) {                                         \
                int64_t n = samples - i < LANES ? samples - i : LANES;                             \
                vector v[LANES];                                                                   \
                for (int r = 0; r < LANES; r++) {                                                  \
                    const SAMPLE_##type *from = (const SAMPLE_##type *)in->rows[r] + start + i;    \
                    NAMED(some_##type) some = {0};                                                 \
                    if (n == LANES)                                                                \
                        memcpy(&some, from, sizeof some);                                          \
                    else                                                                           \
                        memcpy(&some, from, (size_t)n * sizeof *from);                             \
                    v[r] = __builtin_convertvector(some, vector) - centre;                         \
                }                                                                                  \
                NAMED(transpose)(v);                                                               \
                for (int l = 0; l < n; l++) {                                                      \
                    *NAMED(walk_on)(sections, &walk) = v[l];                                       \
                    if (!IS_WHOLE_##type)                                                          \
                        invalid += NAMED(nan_where_invalid)(in, v[l]);                             \
                }                                                                                  \
            }                                                                                      \
            NAMED(clear_rest)(sections, part);                                                     \
        }                                                                                          \
        if (!IS_WHOLE_##type)                                                                      \
            memcpy(in->invalid, &invalid, sizeof invalid);                                         \
    }

#define SCATTER(type)                                                                              \
    static void NAMED(scatter_##type)(const struct fourier_output *out)                            \
    {                                                                                              \
        const struct fourier_sections *sections = &out->sections;                                  \
        for (int part = 0; part < 2; part++) {                                                     \
            struct walk walk = NAMED(walk_to)(sections, 0, part);                                  \
            int64_t samples = sections->count[part] * sections->step;                              \
            int64_t start = part * sections->distance * sections->step;                            \
            for (int64_t i = 0; i < samples; i += LANES) {                                         \
                int64_t n = samples - i < LANES ? samples - i : LANES;                             \
                vector v[LANES] = {0};                                                             \
                for (int l = 0; l < n; l++)                                                        \
                    v[l] = *NAMED(walk_on)(sections, &walk);                                       \
                NAMED(transpose)(v);                                                               \
                for (int r = 0; r < LANES; r++) {                                                  \
                    SAMPLE_##type *to = (SAMPLE_##type *)out->rows[r];                             \
                    NAMED(some_##type)                                                             \
                    some = NAMED(narrow_##type)(NAMED(finish)(out, IS_WHOLE_##type, v[r]));        \
                    if (to && n == LANES)                                                          \
                        memcpy(to + start + i, &some, sizeof some);                                \
                    else if (to)                                                                   \
                        memcpy(to + start + i, &some, (size_t)n * sizeof *to);                     \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
