/* Body of the kernels that compute the second pass of factored u8 masks from 16-bit samples: of
 * symmetric taps, they add the samples of equal ones first. */

/* Taps and pointers of a constant number of taps, in variables: compilers load others again after
 * every store. */
#define LOCAL_TAPS(constant)                                                                       \
    enum { LOCAL = 11 };                                                                           \
    const int16_t *local[LOCAL], *const *source = (const int16_t *const *)args->source;            \
    int16_t local_taps[LOCAL];                                                                     \
    const int16_t *taps = args->taps;                                                              \
    if (constant) {                                                                                \
        for (int64_t t = 0; t < LOCAL; t++) {                                                      \
            local[t] = t < 2 * half + 1 ? source[t] : NULL;                                        \
            local_taps[t] = t < 2 * half + 1 ? taps[t] : 0;                                        \
        }                                                                                          \
        source = local;                                                                            \
        taps = local_taps;                                                                         \
    }

/* Vector u of the samples of tap t; the sum of those of tap t and its mirror image. */
#define TAP(t, u)  vs_load_s16(source[t] + i + (u)*PAIR_LANES)
#define FOLD(t, u) short_plus(TAP(t, u), TAP(2 * half - (t), u))

#define SHORT_ADD(units, t, of)                                                                    \
    for (int u = 0; u < (units); u++)                                                              \
        acc[u] = short_add(acc[u], of(t, u), taps[t]);
#define SHORT_STEP(units, t)                                                                       \
    if ((t) < half)                                                                                \
    SHORT_ADD(units, t, FOLD)

/* If half > 0, it is a constant, and the taps are symmetric. */
#define SHORT_AT(units, ...)                                                                       \
    {                                                                                              \
        vs acc[units];                                                                             \
        for (int u = 0; u < (units); u++)                                                          \
            acc[u] = short_set(add);                                                               \
        if (half > 0) {                                                                            \
            SHORT_STEP(units, 0)                                                                   \
            SHORT_STEP(units, 1)                                                                   \
            SHORT_STEP(units, 2)                                                                   \
            SHORT_ADD(units, half, TAP)                                                            \
        } else                                                                                     \
            for (int64_t t = 0; t < args->tap_count; t++)                                          \
                SHORT_ADD(units, t, TAP)                                                           \
        if ((units) == 1)                                                                          \
            short_store_u8(acc[0], shift, low, high, result + i);                                  \
        for (int u = 0; u + 1 < (units); u += 2)                                                   \
            short_store2_u8(acc[u], acc[u + 1], shift, low, high, result + i + u * PAIR_LANES);    \
    }

#define DEFINE_SHORT(id, src, dst)                                                                 \
    static inline ALWAYS_INLINE void id##_with(const struct kernel_args *args, const int64_t half) \
    {                                                                                              \
        LOCAL_TAPS(half > 0)                                                                       \
        uint8_t *result = args->result;                                                            \
        int32_t low = (int32_t)args->low, high = (int32_t)args->high, shift = args->shift;         \
        uint16_t add = (uint16_t)args->add;                                                        \
        EACH_VECTOR(PAIR_LANES, SHORT_AT, 0)                                                       \
        EACH_SAMPLE(PAIR_LANES, uint8_t)                                                           \
    }                                                                                              \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        switch (symmetric_half(args->taps, args->tap_count)) {                                     \
        case 1:                                                                                    \
            id##_with(args, 1);                                                                    \
            return;                                                                                \
        case 2:                                                                                    \
            id##_with(args, 2);                                                                    \
            return;                                                                                \
        case 3:                                                                                    \
            id##_with(args, 3);                                                                    \
            return;                                                                                \
        }                                                                                          \
        id##_with(args, 0);                                                                        \
    }

/* Half of the number of taps if they are symmetric, rounded down; 0 if not. */
static inline int64_t symmetric_half(const int16_t *taps, int64_t count)
{
    for (int64_t t = 0; t < count / 2; t++)
        if (taps[t] != taps[count - 1 - t])
            return 0;
    return count % 2 == 1 ? count / 2 : 0;
}
