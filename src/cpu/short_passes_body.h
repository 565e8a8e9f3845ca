/* Both passes of u8 in 16 bits: sums of ones, or of taps 1 2 1 and 1 4 6 4 1. */

/* Sums of `size` samples of a column, which are updated from row to row. */
static inline ALWAYS_INLINE void ones_down(const struct byte_pass *pass,
                                           const uint8_t *const *source, int64_t i, const int odd,
                                           int16_t *to, const int64_t size)
{
    vs r[KERNEL_BYTE_TAPS + KERNEL_BYTE_ROWS], sum = short_set(0);
    (void)pass;
    for (int64_t j = 0; j + 1 < size; j++) {
        r[j] = vs_load_half_u8(source[j] + i, odd);
        sum = short_plus(sum, r[j]);
    }
    UNROLLED
    for (int y = 0; y < KERNEL_BYTE_ROWS; y++) {
        r[y + size - 1] = vs_load_half_u8(source[y + size - 1] + i, odd);
        sum = short_plus(sum, r[y + size - 1]);
        vs_store_s16(to + y * KERNEL_BYTE_PITCH, sum);
        sum = short_minus(sum, r[y]);
    }
}

/* Binomial taps are 1 1 twice or four times. */
static inline ALWAYS_INLINE void binomial_down(const struct byte_pass *pass,
                                               const uint8_t *const *source, int64_t i,
                                               const int odd, int16_t *to, const int size)
{
    vs last[4]; /* the last row, and its sums with those before it */
    (void)pass;
    last[0] = vs_load_half_u8(source[0] + i, odd);
    UNROLLED
    for (int j = 1; j < size + KERNEL_BYTE_ROWS - 1; j++) {
        vs v = vs_load_half_u8(source[j] + i, odd);
        UNROLLED
        for (int level = 0; level < (j < size - 1 ? j : size - 1); level++) {
            vs sum = short_plus(last[level], v);
            last[level] = v;
            v = sum;
        }
        if (j < size - 1)
            last[j] = v;
        else
            vs_store_s16(to + (j - size + 1) * KERNEL_BYTE_PITCH, v);
    }
}

static inline ALWAYS_INLINE vs ones_sum(const int16_t *row, vs sum, const int parity,
                                        const int64_t size, const int64_t apart, const bool odd)
{
    BYTE_STARTS
    for (int64_t pair = 0; pair < size / 2; pair++)
        sum = short_plus(short_plus(sum, BYTE_TAP(pair, 0)), BYTE_TAP(pair, 1));
    return size % 2 ? short_plus(sum, BYTE_TAP(size / 2, 0)) : sum;
}

static inline ALWAYS_INLINE vs binomial_sum(const int16_t *row, vs sum, const int parity,
                                            const int64_t size, const int64_t apart, const bool odd)
{
    BYTE_STARTS
    if (size == 3) {
        const vs middle = BYTE_TAP(0, 1);
        sum = short_plus(sum, short_plus(BYTE_TAP(0, 0), BYTE_TAP(1, 0)));
        return short_plus(sum, short_plus(middle, middle));
    }
    sum = short_plus(sum, short_plus(BYTE_TAP(0, 0), BYTE_TAP(2, 0)));
    sum = short_add(sum, short_plus(BYTE_TAP(0, 1), BYTE_TAP(1, 1)), 4);
    return short_add(sum, BYTE_TAP(1, 0), 6);
}

static inline ALWAYS_INLINE vs short_end(const struct byte_pass *pass, vs sum)
{
    vs v = short_scale(sum, pass->multiplier, pass->shift);
    if (pass->low > 0 || pass->high < UINT8_MAX)
        v = short_clamp(v, pass->low, pass->high);
    return v;
}

#define SHORT_ACROSS(pass, row, to, sum, size, apart, odd)                                         \
    vs_store_halves(                                                                               \
        short_end(pass, sum(row, short_set((uint16_t)(pass)->add), 0, size, apart, odd)),          \
        short_end(pass, sum(row, short_set((uint16_t)(pass)->add), 1, size, apart, odd)), 0, to)

#define DEFINE_SHORT_SIZE(kind, many, size)                                                        \
    DEFINE_BYTE_DOWN(kind##_down_##many, kind##_down, size)                                        \
    DEFINE_BYTE_APARTS(kind##_across_##many, SHORT_ACROSS, kind##_sum, size)
DEFINE_SHORT_SIZE(binomial, 3, 3)
DEFINE_SHORT_SIZE(binomial, 5, 5)
DEFINE_SHORT_SIZE(ones, n, pass.size)

/* The sizes of ones for which loops are unrolled. */
#define EACH_ONES(of)     of(3) of(5) of(7) of(9) of(15)
#define DEFINE_ONES(size) DEFINE_SHORT_SIZE(ones, size, size)
EACH_ONES(DEFINE_ONES)

#define ONES_DOWN_CASE(size)                                                                       \
    case size:                                                                                     \
        return ones_down_##size;
#define ONES_ACROSS_CASE(size)                                                                     \
    case size:                                                                                     \
        return ones_across_##size(apart);

static inline byte_down *short_down(int32_t size, bool ones)
{
    if (!ones)
        return size == 3 ? binomial_down_3 : binomial_down_5;
    switch (size) {
        EACH_ONES(ONES_DOWN_CASE)
    }
    return ones_down_n;
}

static inline byte_across *short_across(int64_t size, int64_t apart, bool ones)
{
    if (!ones)
        return size == 3 ? binomial_across_3(apart) : binomial_across_5(apart);
    switch (size) {
        EACH_ONES(ONES_ACROSS_CASE)
    }
    return ones_across_n(apart);
}

#define DEFINE_SHORT_PASSES(id, src, dst)                                                          \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const bool ones = !args->taps;                                                             \
        struct byte_pass first = {0};                                                              \
        struct byte_pass second = {.add = (int32_t)args->add,                                      \
                                   .multiplier = (uint16_t)args->mean.reciprocal.multiplier,       \
                                   .shift = args->mean.reciprocal.shift};                          \
        byte_run(args, short_down(args->rows.mask_rows, ones), &first,                             \
                 short_across(args->tap_count, args->apart, ones), &second);                       \
    }
