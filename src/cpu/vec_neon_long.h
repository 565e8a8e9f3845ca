/* 32-bit lanes of vectors of 64-bit Arm: the end of vec_neon.h. */

/* 32-bit lanes. vl_pick takes lanes from the places of an index, 0 where that is negative. */
typedef int32x4_t vl;
typedef uint8x16_t vl_index; /* of bytes */

static inline vl vl_load(const void *p)
{
    return vld1q_s32(p);
}

static inline void vl_store(void *p, vl v)
{
    vst1q_s32(p, v);
}

static inline vl vl_set(int32_t v)
{
    return vdupq_n_s32(v);
}

static inline vl vl_add(vl a, vl b)
{
    return vaddq_s32(a, b);
}

static inline vl vl_change_s16(const int16_t *a, const int16_t *b)
{
    return vsubl_s16(vld1_s16(a), vld1_s16(b));
}

static inline vl vl_change_s32(const int32_t *a, const int32_t *b)
{
    return vsubq_s32(vld1q_s32(a), vld1q_s32(b));
}

static inline vl_index vl_index_set(const int32_t *from)
{
    uint8_t bytes[16];
    for (int b = 0; b < 16; b++)
        bytes[b] = (uint8_t)(from[b / 4] < 0 ? 255 : 4 * from[b / 4] + b % 4);
    return vld1q_u8(bytes);
}

static inline vl vl_pick(vl v, vl_index at)
{
    return vreinterpretq_s32_u8(vqtbl1q_u8(vreinterpretq_u8_s32(v), at));
}
#define vl_pick_all vl_pick

/* (v·multiplier >> 32) >> shift */
static inline vl vl_divide(vl v, uint32_t multiplier, int32_t shift)
{
    uint32x4_t t = vreinterpretq_u32_s32(v);
    uint64x2_t low = vmull_n_u32(vget_low_u32(t), multiplier);
    uint64x2_t high = vmull_n_u32(vget_high_u32(t), multiplier);
    t = vuzp2q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high));
    return vreinterpretq_s32_u32(vshlq_u32(t, vdupq_n_s32(-shift)));
}

static inline vl vl_sra(vl v, int32_t shift)
{
    return vshlq_s32(v, vdupq_n_s32(-shift)); /* a negative left shift rounds down */
}

/* Pairs of samples of two rows: 16 bits of each in a lane. vl_join_… joins PAIR_LANES samples. */
typedef int16x4x2_t vl_pairs;

static inline vl_pairs vl_pairs_load(const int32_t *p)
{
    return vld2_s16((const int16_t *)p);
}

static inline vl vl_dot(vl acc, vl_pairs both, const int32_t *taps)
{
    int16x4_t two = vreinterpret_s16_s32(vdup_n_s32(*taps));
    acc = vmlal_lane_s16(acc, both.val[0], two, 0);
    return vmlal_lane_s16(acc, both.val[1], two, 1);
}

#define VL_JOIN(type)                                                                              \
    static inline void vl_join_##type(const SAMPLE_##type *a, const SAMPLE_##type *b, int32_t *to) \
    {                                                                                              \
        pair_rows both = pair_join_##type(a, b);                                                   \
        int16x8x2_t pairs = {{both.upper, both.lower}};                                            \
        vst2q_s16((int16_t *)to, pairs);                                                           \
    }
VL_JOIN(u8)
VL_JOIN(u16)
VL_JOIN(s16)
#undef VL_JOIN

/* Each vl_store_… stores one vector, vl_store2_… two, vl_store4_… four. */
static inline void vl_store_s16(vl v, int32_t low, int32_t high, int16_t *p)
{
    int16x4_t t = vmin_s16(vqmovn_s32(v), vdup_n_s16((int16_t)high));
    vst1_s16(p, vmax_s16(t, vdup_n_s16((int16_t)low)));
}

static inline void vl_store_u16(vl v, int32_t low, int32_t high, uint16_t *p)
{
    uint16x4_t t = vmin_u16(vqmovun_s32(v), vdup_n_u16((uint16_t)high));
    vst1_u16(p, vmax_u16(t, vdup_n_u16((uint16_t)low)));
}

static inline void vl_store_u8(vl v, int32_t low, int32_t high, uint8_t *p)
{
    int16_t memory[4];
    vl_store_s16(v, low, high, memory);
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)memory[i];
}

static inline void vl_store2_u8(vl a, vl b, int32_t low, int32_t high, uint8_t *p)
{
    int16x8_t v = vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
    v = vminq_s16(vmaxq_s16(v, vdupq_n_s16((int16_t)low)), vdupq_n_s16((int16_t)high));
    vst1_u8(p, vqmovun_s16(v));
}

static inline void vl_store2_s16(vl a, vl b, int32_t low, int32_t high, int16_t *p)
{
    int16x8_t v = vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
    vst1q_s16(p, vminq_s16(vmaxq_s16(v, vdupq_n_s16((int16_t)low)), vdupq_n_s16((int16_t)high)));
}

static inline void vl_store2_u16(vl a, vl b, int32_t low, int32_t high, uint16_t *p)
{
    uint16x8_t v = vcombine_u16(vqmovun_s32(a), vqmovun_s32(b));
    v = vmaxq_u16(v, vdupq_n_u16((uint16_t)low));
    vst1q_u16(p, vminq_u16(v, vdupq_n_u16((uint16_t)high)));
}

static inline void vl_store4_u8(const vl *v, int32_t low, int32_t high, uint8_t *p)
{
    uint8x16_t bytes = vcombine_u8(vqmovun_s16(vcombine_s16(vqmovn_s32(v[0]), vqmovn_s32(v[1]))),
                                   vqmovun_s16(vcombine_s16(vqmovn_s32(v[2]), vqmovn_s32(v[3]))));
    bytes = vmaxq_u8(bytes, vdupq_n_u8((uint8_t)low));
    vst1q_u8(p, vminq_u8(bytes, vdupq_n_u8((uint8_t)high)));
}

static inline void vl_store_rows_s16(vl a, vl b, int32_t low, int32_t high, int16_t *p, int16_t *q)
{
    vl_store_s16(b, low, high, q);
    vl_store_s16(a, low, high, p);
}

static inline void vl_store_rows_u16(vl a, vl b, int32_t low, int32_t high, uint16_t *p,
                                     uint16_t *q)
{
    vl_store_u16(b, low, high, q);
    vl_store_u16(a, low, high, p);
}

static inline void vl_store2_rows_u8(const vl *a, const vl *b, int32_t low, int32_t high,
                                     uint8_t *p, uint8_t *q)
{
    vl_store2_u8(b[0], b[1], low, high, q);
    vl_store2_u8(a[0], a[1], low, high, p);
}
