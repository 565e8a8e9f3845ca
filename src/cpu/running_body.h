/* Means of running sums along a row. Each lane adds the samples that enter and subtracts those that
 * leave along its own channel: a prefix sum within the vector, from the last sums of the vector
 * before. Sums and quotients have 32 bits. */

#if LONG_LANES > 1
/* Lanes one, two, four … samples of the same channel earlier, and the lanes that end a vector. */
struct running_lanes {
    vl_index back[4], last;
};

static inline struct running_lanes running_lanes(int32_t apart)
{
    struct running_lanes r;
    int32_t from[LONG_LANES];
    for (int s = 0; s < 4; s++) {
        for (int32_t l = 0; l < LONG_LANES; l++)
            from[l] = l - (apart << s);
        r.back[s] = vl_index_set(from);
    }
    for (int32_t l = 0; l < LONG_LANES; l++)
        from[l] = LONG_LANES - apart + l % apart;
    r.last = vl_index_set(from);
    return r;
}

static inline void running_store_u8(const vl *mean, int32_t low, int32_t high, uint8_t *p)
{
    vl_store4_u8(mean, low, high, p);
}

static inline void running_store_u16(const vl *mean, int32_t low, int32_t high, uint16_t *p)
{
    vl_store2_u16(mean[0], mean[1], low, high, p);
    vl_store2_u16(mean[2], mean[3], low, high, p + 2 * LONG_LANES);
}

static inline void running_store_s16(const vl *mean, int32_t low, int32_t high, int16_t *p)
{
    vl_store2_s16(mean[0], mean[1], low, high, p);
    vl_store2_s16(mean[2], mean[3], low, high, p + 2 * LONG_LANES);
}

/* Computes as many samples as fill groups of four vectors, with `steps` additions for a prefix, and
 * returns their number. `sums` are the last sums before and after. */
#define RUNNING_VECTORS(id, src, dst)                                                              \
    static inline ALWAYS_INLINE int64_t id##_vectors(const struct kernel_args *args, int steps,    \
                                                     uint32_t *sums)                               \
    {                                                                                              \
        const int64_t apart = args->apart;                                                         \
        const SAMPLE_##src *leaving = (const SAMPLE_##src *)args->source[0] - apart;               \
        const SAMPLE_##src *entering = leaving + args->tap_count * apart;                          \
        SAMPLE_##dst *result = args->result;                                                       \
        const struct running_lanes lanes = running_lanes((int32_t)apart);                          \
        const vl offset = vl_set(args->mean.add_low);                                              \
        vl sum = vl_load(sums - (LONG_LANES - apart)), mean[4];                                    \
        int64_t i = 0;                                                                             \
        for (; i + 4 * LONG_LANES <= args->count; i += 4 * LONG_LANES) {                           \
            for (int64_t b = 0; args->ahead && b < 2 * LONG_LANES * (int64_t)sizeof *leaving;      \
                 b += 64)                                                                          \
                prefetch_near((const uint8_t *)args->ahead[0] + i * (int64_t)sizeof *leaving / 2 + \
                              b);                                                                  \
            for (int v = 0; v < 4; v++) {                                                          \
                int64_t at = i + v * LONG_LANES;                                                   \
                vl change = vl_change_##src(entering + at, leaving + at);                          \
                for (int s = 0; s < steps; s++)                                                    \
                    change = vl_add(change, vl_pick(change, lanes.back[s]));                       \
                sum = vl_add(change, vl_pick_all(sum, lanes.last));                                \
                mean[v] = vl_add(vl_divide(sum, (uint32_t)args->mean.reciprocal.multiplier,        \
                                           args->mean.reciprocal.shift),                           \
                                 offset);                                                          \
            }                                                                                      \
            running_store_##dst(mean, (int32_t)args->low, (int32_t)args->high, result + i);        \
        }                                                                                          \
        vl_store(sums - (LONG_LANES - apart), sum);                                                \
        return i;                                                                                  \
    }
#else
#define RUNNING_VECTORS(id, src, dst)                                                              \
    static inline int64_t id##_vectors(const struct kernel_args *args, int steps, uint32_t *sums)  \
    {                                                                                              \
        (void)args, (void)steps, (void)sums;                                                       \
        return 0;                                                                                  \
    }
#endif

#define DEFINE_RUNNING_BY_LANES(id, src, dst)                                                      \
    RUNNING_VECTORS(id, src, dst)                                                                  \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const int64_t apart = args->apart, count = args->count;                                    \
        const SAMPLE_##src *columns = args->source[0];                                             \
        const SAMPLE_##src *entering = columns + (args->tap_count - 1) * apart;                    \
        SAMPLE_##dst *result = args->result;                                                       \
        uint32_t memory[LONG_LANES + KERNEL_APART_MOST] = {0}, *sums = memory + LONG_LANES;        \
        int64_t i = 0;                                                                             \
        for (int64_t c = 0; c < apart; c++) {                                                      \
            sums[c] = (uint32_t)args->add;                                                         \
            for (int64_t t = 0; t + 1 < args->tap_count; t++)                                      \
                sums[c] += (uint32_t)columns[c + t * apart];                                       \
        }                                                                                          \
        if (apart * 8 < LONG_LANES)                                                                \
            i = id##_vectors(args, 4, sums);                                                       \
        else if (apart * 4 < LONG_LANES)                                                           \
            i = id##_vectors(args, 3, sums);                                                       \
        else if (apart * 2 < LONG_LANES)                                                           \
            i = id##_vectors(args, 2, sums);                                                       \
        else if (apart < LONG_LANES)                                                               \
            i = id##_vectors(args, 1, sums);                                                       \
        else if (apart == LONG_LANES)                                                              \
            i = id##_vectors(args, 0, sums);                                                       \
        for (; i < count; i += apart)                                                              \
            for (int64_t c = 0; c < apart && i + c < count; c++) {                                 \
                sums[c] += (uint32_t)(entering[i + c] - columns[i + c - apart]);                   \
                int64_t mean = (int64_t)(sums[c] * args->mean.reciprocal.multiplier >> 32 >>       \
                                         args->mean.reciprocal.shift);                             \
                result[i + c] = (SAMPLE_##dst)clamp_long(mean + args->mean.add_low,                \
                                                         (int64_t)args->low, (int64_t)args->high); \
            }                                                                                      \
    }
