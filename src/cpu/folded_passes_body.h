/* Both passes of u8 by symmetric taps in 32 bits. The samples of equal taps are added first. */

/* Adds two products at a time: from the outermost folded samples inwards, then of the innermost
 * ones and the middle sample. If the number of folded samples is even, that is joined with a
 * constant. */
#define FOLDED_SUM(acc, fold, middle, half)                                                        \
    pair_acc acc =                                                                                 \
        (half) % 2                                                                                 \
            ? pair_add(pair_set(pass->add), fold((half) / 2, 0), middle, pass->taps[(half) / 2])   \
            : pair_add(pair_set(0), vs_set_s16(KERNEL_FOLD_UNIT), middle, pass->taps[(half) / 2]); \
    for (int64_t pair = 0; pair < (half) / 2; pair++)                                              \
        acc = pair_add(acc, fold(pair, 0), fold(pair, 1), pass->taps[pair]);

#define FOLD_ROWS(pair, second)                                                                    \
    short_plus(r[y + 2 * (pair) + second], r[y + 2 * (half - (pair)) - second])
static inline ALWAYS_INLINE void folded_down(const struct byte_pass *pass,
                                             const uint8_t *const *source, int64_t i, const int odd,
                                             int16_t *to, const int64_t half)
{
    vs r[KERNEL_BYTE_TAPS + KERNEL_BYTE_ROWS];
    for (int64_t j = 0; j < 2 * half; j++)
        r[j] = vs_load_half_u8(source[j] + i, odd);
    UNROLLED
    for (int y = 0; y < KERNEL_BYTE_ROWS; y++) {
        r[y + 2 * half] = vs_load_half_u8(source[y + 2 * half] + i, odd);
        FOLDED_SUM(acc, FOLD_ROWS, r[y + half], half)
        vs_store_s16(to + y * KERNEL_BYTE_PITCH, pair_pack_by(acc, KERNEL_FOLD_DOWN_BITS));
    }
}

/* The same by pairs of rows that are interleaved once. Where an instruction adds two products, that
 * takes less time for many taps. */
static inline ALWAYS_INLINE void paired_down(const struct byte_pass *pass,
                                             const uint8_t *const *source, int64_t i, const int odd,
                                             int16_t *to, const int64_t half)
{
    pair_rows rows[(KERNEL_BYTE_TAPS + KERNEL_BYTE_ROWS) / 2 + 1];
    for (int64_t j = 0; j < half + KERNEL_BYTE_ROWS / 2; j++)
        rows[j] = pair_interleave(vs_load_half_u8(source[2 * j] + i, odd),
                                  vs_load_half_u8(source[2 * j + 1] + i, odd));
    for (int first = 0; first < KERNEL_BYTE_ROWS; first += U8_HEIGHT) {
        pair_acc acc[U8_HEIGHT];
        for (int y = 0; y < U8_HEIGHT; y++)
            acc[y] = pair_set(pass->add);
        for (int64_t j = 0; j <= half; j++)
            for (int y = 0; y < U8_HEIGHT; y++)
                acc[y] = pair_dot(acc[y], rows[(first + y) / 2 + j], pass->pairs[y % 2][j]);
        for (int y = 0; y < U8_HEIGHT; y++)
            vs_store_s16(to + (first + y) * KERNEL_BYTE_PITCH,
                         pair_pack_by(acc[y], KERNEL_FOLD_DOWN_BITS));
    }
}

/* Tap k of folded ones; 0 outside the mask. */
static inline int32_t unfolded_tap(const int32_t *taps, int64_t half, int64_t k)
{
    k = k > half ? 2 * half - k : k;
    if (k < 0)
        return 0;
    uint32_t both = (uint32_t)taps[k / 2];
    return (int16_t)(uint16_t)(k == half || k % 2 == 1 ? both >> 16 : both);
}

/* The pairs of taps of even rows, and of odd ones. */
static inline void set_pairs(struct byte_pass *pass, int64_t half)
{
    for (int64_t j = 0; j <= half; j++)
        for (int64_t odd = 0; odd < 2; odd++)
            pass->pairs[odd][j] =
                kernel_join_shorts(unfolded_tap(pass->taps, half, 2 * j - odd),
                                   unfolded_tap(pass->taps, half, 2 * j + 1 - odd));
}

#define FOLD_SAMPLES(pair, second)                                                                 \
    short_plus(BYTE_TAP(pair, second), BYTE_TAP(half - (pair)-second, second))
static inline ALWAYS_INLINE vs folded_across(const struct byte_pass *pass, const int16_t *row,
                                             const int parity, const int64_t half,
                                             const int64_t apart, const bool odd)
{
    BYTE_STARTS
    const vs middle = half % 2 ? BYTE_TAP(half / 2, 1) : BYTE_TAP(half / 2, 0);
    FOLDED_SUM(acc, FOLD_SAMPLES, middle, half)
    return pair_pack_by(acc, KERNEL_FOLD_ACROSS_BITS);
}

/* Sums of the usual gaussians are 128 less than the results, and nothing is clamped. */
static inline ALWAYS_INLINE void folded_end(const struct byte_pass *pass, vs even, vs odd,
                                            uint8_t *to)
{
    if (pass->offset == 128 && pass->low == 0 && pass->high == UINT8_MAX) {
        vs_store_halves(even, odd, 128, to);
        return;
    }
    even = short_clamp(short_plus(even, vs_set_s16((int16_t)pass->offset)), pass->low, pass->high);
    odd = short_clamp(short_plus(odd, vs_set_s16((int16_t)pass->offset)), pass->low, pass->high);
    vs_store_halves(even, odd, 0, to);
}

#define FOLDED_ACROSS(pass, row, to, half, apart, odd)                                             \
    folded_end(pass, folded_across(pass, row, 0, half, apart, odd),                                \
               folded_across(pass, row, 1, half, apart, odd), to)

/* Half of the sizes for which loops are unrolled. */
#define EACH_FOLDED(of) of(3) of(4) of(5) of(8)
#define DEFINE_FOLDED(half)                                                                        \
    DEFINE_BYTE_DOWN(folded_down_##half, folded_down, half)                                        \
    DEFINE_BYTE_APARTS(folded_across_##half, FOLDED_ACROSS, half)
EACH_FOLDED(DEFINE_FOLDED)
#if HAVE_DOT_ADD
DEFINE_BYTE_DOWN(folded_down_n, paired_down, pass.size / 2)
#else
DEFINE_BYTE_DOWN(folded_down_n, folded_down, pass.size / 2)
#endif
DEFINE_BYTE_APARTS(folded_across_n, FOLDED_ACROSS, pass.size / 2)

#define FOLDED_DOWN_CASE(half)                                                                     \
    case half:                                                                                     \
        return folded_down_##half;
#define FOLDED_ACROSS_CASE(half)                                                                   \
    case half:                                                                                     \
        return folded_across_##half(apart);

static inline byte_down *folded_down_of(int32_t half)
{
    switch (half) {
        EACH_FOLDED(FOLDED_DOWN_CASE)
    }
    return folded_down_n;
}

static inline byte_across *folded_across_of(int64_t half, int64_t apart)
{
    switch (half) {
        EACH_FOLDED(FOLDED_ACROSS_CASE)
    }
    return folded_across_n(apart);
}

#define DEFINE_FOLDED_PASSES(id, src, dst)                                                         \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const int32_t down = args->rows.mask_rows / 2, across = (int32_t)args->tap_count / 2;      \
        const int32_t *taps = args->taps;                                                          \
        struct byte_pass first = {.add = (int32_t)args->add};                                      \
        struct byte_pass second = {.offset = args->rows.offset};                                   \
        memcpy(first.taps, taps, (size_t)(down / 2 + 1) * sizeof *taps);                           \
        if (HAVE_DOT_ADD)                                                                          \
            set_pairs(&first, down);                                                               \
        memcpy(second.taps, taps + down / 2 + 1, (size_t)(across / 2 + 1) * sizeof *taps);         \
        byte_run(args, folded_down_of(down), &first, folded_across_of(across, args->apart),        \
                 &second);                                                                         \
    }
