/* Bodies of the kernels that multiply colours by alpha, and divide their sums by those of alpha.
 * Pixels of two or four channels stay interleaved; alpha is the last channel. */

enum { ALPHA_LANES = 16, ALPHA_RUN = 64 };

typedef float alpha_floats __attribute__((vector_size(64)));
typedef int32_t alpha_ints __attribute__((vector_size(64)));
typedef uint16_t alpha_shorts __attribute__((vector_size(32)));
typedef uint8_t alpha_bytes __attribute__((vector_size(16)));

/* The last sample of each sample's pixel. */
#ifdef __clang__
#define ALPHA_OF_2(v)                                                                              \
    __builtin_shufflevector(v, v, 1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15)
#define ALPHA_OF_4(v)                                                                              \
    __builtin_shufflevector(v, v, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15)
#else
#define ALPHA_OF_2(v)                                                                              \
    __builtin_shuffle(v, (alpha_ints){1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15})
#define ALPHA_OF_4(v)                                                                              \
    __builtin_shuffle(v, (alpha_ints){3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15})
#endif
#define ALPHA_LAST_2 ((alpha_ints){0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1})
#define ALPHA_LAST_4 ((alpha_ints){0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1})
/* Not by operators with one float, which some machines compute in doubles. */
#define ALPHA_ALL(x) ((alpha_floats){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x})
#define ALPHA_CHOOSE(mask, a, b)                                                                   \
    ((alpha_floats)(((mask) & (alpha_ints)(a)) | (~(mask) & (alpha_ints)(b))))

/* Colours times alpha, and alpha. */
static inline void alpha_multiply_lanes(const uint8_t *from, bool is_pair, float *to)
{
    alpha_bytes bytes;
    memcpy(&bytes, from, sizeof bytes);
    /* GCC 12 converts to twice the size, or to half, in vectors, and the rest one by one. */
    alpha_shorts shorts = __builtin_convertvector(bytes, alpha_shorts);
    alpha_ints ints = __builtin_convertvector(shorts, alpha_ints);
    alpha_floats v = __builtin_convertvector(ints, alpha_floats);
    alpha_floats alpha = is_pair ? ALPHA_OF_2(v) : ALPHA_OF_4(v);
    v *= ALPHA_CHOOSE(is_pair ? ALPHA_LAST_2 : ALPHA_LAST_4, ALPHA_ALL(1.0f), alpha);
    memcpy(to, &v, sizeof v);
}

static inline void alpha_multiply(const uint8_t *from, int64_t count, bool is_pair, float *to)
{
    uint8_t last[ALPHA_LANES] = {0};
    float made[ALPHA_LANES];
    int64_t i = 0;
    for (; i + ALPHA_LANES <= count; i += ALPHA_LANES)
        alpha_multiply_lanes(from + i, is_pair, to + i);
    if (i == count)
        return;
    memcpy(last, from + i, (size_t)(count - i));
    alpha_multiply_lanes(last, is_pair, made);
    memcpy(to + i, made, (size_t)(count - i) * sizeof *made);
}

/* The definition, in doubles. */
static void alpha_divide_exactly(const float *from, int64_t count, int64_t step,
                                 const struct kernel_alpha *q, uint8_t *to)
{
    for (int64_t i = 0; i < count; i++) {
        double n = from[i], d = from[i - i % step + step - 1];
        double v = i % step == step - 1 ? d / q->share
                   : d == q->all        ? n / q->unit
                                        : n / d * (q->all / q->unit);
        double whole = floor(v);
        v = d < q->least ? 0.0 : v - whole >= 0.5 ? whole + 1.0 : whole;
        to[i] = (uint8_t)(v > 255.0 ? 255.0 : v);
    }
}

/* The constants as floats: a copy, because results of one byte could overwrite anything else. */
struct alpha_floats_of {
    float all, unit, share, least, ratio;
};

/* In floats, with at most four roundings: an error below 2^-14 for results up to 255. Sets lanes of
 * `close` where a result is so close to a half that it may be rounded to the wrong side. */
static inline void alpha_divide_lanes(const float *from, bool is_pair,
                                      const struct alpha_floats_of *q, uint8_t *to,
                                      alpha_ints *close)
{
    const alpha_floats one = ALPHA_ALL(1.0f);
    const alpha_ints last = is_pair ? ALPHA_LAST_2 : ALPHA_LAST_4;
    alpha_floats n;
    memcpy(&n, from, sizeof n);
    alpha_floats d = is_pair ? ALPHA_OF_2(n) : ALPHA_OF_4(n);
    alpha_ints is_whole = d == ALPHA_ALL(q->all), is_present = d >= ALPHA_ALL(q->least);
    alpha_floats by = ALPHA_CHOOSE(is_present, d, one);
    by = ALPHA_CHOOSE(last, ALPHA_ALL(q->share), ALPHA_CHOOSE(is_whole, ALPHA_ALL(q->unit), by));
    alpha_floats v = n / by * ALPHA_CHOOSE(last | is_whole, one, ALPHA_ALL(q->ratio));
    alpha_ints whole = __builtin_convertvector(v, alpha_ints);
    alpha_floats rest = v - __builtin_convertvector(whole, alpha_floats);
    *close |=
        (rest > ALPHA_ALL(0.5f - 0x1p-14f)) & (rest < ALPHA_ALL(0.5f + 0x1p-14f)) & is_present;
    whole -= rest >= ALPHA_ALL(0.5f);
    alpha_ints above = whole > 255;
    whole = ((above & 255) | (~above & whole)) & is_present;
    alpha_shorts shorts = __builtin_convertvector(whole, alpha_shorts);
    alpha_bytes bytes = __builtin_convertvector(shorts, alpha_bytes);
    memcpy(to, &bytes, sizeof bytes);
}

static inline bool alpha_any(const alpha_ints *lanes)
{
    int32_t any = 0;
    for (int i = 0; i < ALPHA_LANES; i++)
        any |= (*lanes)[i];
    return any != 0;
}

static inline void alpha_divide(const float *from, int64_t count, bool is_pair,
                                const struct kernel_alpha *q, uint8_t *to)
{
    const int64_t step = is_pair ? 2 : 4;
    const struct alpha_floats_of floats = {(float)q->all, (float)q->unit, (float)q->share,
                                           q->least_float, (float)(q->all / q->unit)};
    int64_t i = 0;
    for (; i + ALPHA_RUN <= count; i += ALPHA_RUN) {
        alpha_ints close = {0};
        for (int64_t k = i; k < i + ALPHA_RUN; k += ALPHA_LANES)
            alpha_divide_lanes(from + k, is_pair, &floats, to + k, &close);
        if (alpha_any(&close))
            alpha_divide_exactly(from + i, ALPHA_RUN, step, q, to + i);
    }
    alpha_divide_exactly(from + i, count - i, step, q, to + i);
}

#define DEFINE_ALPHA_MULTIPLY(id, src, dst)                                                        \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        if (args->apart == 2)                                                                      \
            alpha_multiply(args->source[0], args->count, true, args->result);                      \
        else                                                                                       \
            alpha_multiply(args->source[0], args->count, false, args->result);                     \
    }
#define DEFINE_ALPHA_DIVIDE(id, src, dst)                                                          \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        if (args->apart == 2)                                                                      \
            alpha_divide(args->source[0], args->count, true, args->taps, args->result);            \
        else                                                                                       \
            alpha_divide(args->source[0], args->count, false, args->taps, args->result);           \
    }
