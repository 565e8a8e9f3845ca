/* 16-byte vectors of 64-bit Arm. */
#include <arm_neon.h>
#include <string.h>

#define HAVE_FMA         1
#define NARROW_LANES     16
#define PAIR_LANES       8
#define WIDE_LANES       2
#define FLOAT_LANES      4
#define LONG_LANES       4
#define MULTIROW_PAIRS   2
#define U8_PAIRS         4
#define MULTIROW_VECTORS 4
#define FLOAT_HEIGHT     8
#define FLOAT_VECTORS    3
#define LOW_VECTORS      4
#define PASSES_VECTORS   4
#define SMALL_VECTORS    4
#define PAIRED_SUMS      4 /* see paired_body.h */
#define TAP_LANES        1

typedef int16x8_t vs;
typedef struct {
    int32x4_t low, high;
} pair_acc;
typedef float64x2_t vd;
typedef float32x4_t vf;

static inline vs vs_load_u8(const uint8_t *p)
{
    return vreinterpretq_s16_u16(vmovl_u8(vld1_u8(p)));
}

static inline vs vs_load_half_u8(const uint8_t *p, const int odd)
{
    uint16x8_t v = vreinterpretq_u16_u8(vld1q_u8(p));
    return vreinterpretq_s16_u16(odd ? vshrq_n_u16(v, 8) : vandq_u16(v, vdupq_n_u16(UINT8_MAX)));
}

static inline void vs_store_halves(vs even, vs odd, const int flip, uint8_t *p)
{
    uint8x16_t v = vreinterpretq_u8_s16(vsliq_n_s16(even, odd, 8));
    vst1q_u8(p, flip ? veorq_u8(v, vdupq_n_u8((uint8_t)flip)) : v);
}

static inline vs vs_set_s16(int16_t v)
{
    return vdupq_n_s16(v);
}

static inline void vs_store_s16(int16_t *p, vs v)
{
    vst1q_s16(p, v);
}

static inline vs vs_load_s16(const int16_t *p)
{
    return vld1q_s16(p);
}

static inline pair_acc pair_set(int32_t add)
{
    return (pair_acc){vdupq_n_s32(add), vdupq_n_s32(add)};
}

static inline pair_acc pair_add(pair_acc acc, vs a, vs b, int32_t taps)
{
    int16x4_t both = vreinterpret_s16_s32(vdup_n_s32(taps));
    acc.low = vmlal_lane_s16(acc.low, vget_low_s16(a), both, 0);
    acc.high = vmlal_high_lane_s16(acc.high, a, both, 0);
    acc.low = vmlal_lane_s16(acc.low, vget_low_s16(b), both, 1);
    acc.high = vmlal_high_lane_s16(acc.high, b, both, 1);
    return acc;
}

#define pair_pack_by(acc, shift)                                                                   \
    vcombine_s16(vqmovn_s32(vshrq_n_s32((acc).low, shift)),                                        \
                 vqmovn_s32(vshrq_n_s32((acc).high, shift)))

typedef struct {
    vs upper, lower;
} pair_rows;

static inline pair_rows pair_interleave(vs a, vs b)
{
    return (pair_rows){a, b};
}

static inline pair_rows pair_join_u8(const uint8_t *a, const uint8_t *b)
{
    return (pair_rows){vs_load_u8(a), vs_load_u8(b)};
}

static inline pair_rows pair_join_s16(const int16_t *a, const int16_t *b)
{
    return (pair_rows){vld1q_s16(a), vld1q_s16(b)};
}

/* The same for u16 samples, minus 2^15. */
static inline pair_rows pair_join_u16(const uint16_t *a, const uint16_t *b)
{
    uint16x8_t sign = vdupq_n_u16(0x8000);
    return (pair_rows){vreinterpretq_s16_u16(veorq_u16(vld1q_u16(a), sign)),
                       vreinterpretq_s16_u16(veorq_u16(vld1q_u16(b), sign))};
}

static inline pair_acc pair_dot(pair_acc acc, pair_rows both, int32_t taps)
{
    return pair_add(acc, both.upper, both.lower, taps);
}

static inline int16x8_t pair_pack_s16(pair_acc acc, int32_t shift, int32_t low, int32_t high)
{
    int32x4_t by = vdupq_n_s32(-shift); /* a negative left shift rounds down */
    int16x8_t v =
        vcombine_s16(vqmovn_s32(vshlq_s32(acc.low, by)), vqmovn_s32(vshlq_s32(acc.high, by)));
    return vminq_s16(vmaxq_s16(v, vdupq_n_s16((int16_t)low)), vdupq_n_s16((int16_t)high));
}

static inline void pair_store_u8(pair_acc acc, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    vst1_u8(p, vqmovun_s16(pair_pack_s16(acc, shift, low, high)));
}

static inline void pair_store2_u8(pair_acc a, pair_acc b, int32_t shift, int32_t low, int32_t high,
                                  uint8_t *p)
{
    pair_store_u8(a, shift, low, high, p);
    pair_store_u8(b, shift, low, high, p + PAIR_LANES);
}

static inline void pair_store_s16(pair_acc acc, int32_t shift, int32_t low, int32_t high,
                                  int16_t *p)
{
    vst1q_s16(p, pair_pack_s16(acc, shift, low, high));
}

static inline void pair_store_u16(pair_acc acc, int32_t shift, int32_t low, int32_t high,
                                  uint16_t *p)
{
    int32x4_t by = vdupq_n_s32(-shift);
    uint16x8_t v =
        vcombine_u16(vqmovun_s32(vshlq_s32(acc.low, by)), vqmovun_s32(vshlq_s32(acc.high, by)));
    v = vmaxq_u16(v, vdupq_n_u16((uint16_t)low));
    vst1q_u16(p, vminq_u16(v, vdupq_n_u16((uint16_t)high)));
}

typedef struct {
    int16x8_t low, high;
} narrow_acc;

static inline narrow_acc narrow_set(int16_t add)
{
    return (narrow_acc){vdupq_n_s16(add), vdupq_n_s16(add)};
}

typedef struct {
    int16x8_t upper[2], lower[2];
} narrow_rows;

static inline narrow_rows narrow_join(const uint8_t *a, const uint8_t *b)
{
    uint8x16_t x = vld1q_u8(a), y = vld1q_u8(b);
    return (narrow_rows){{vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(x))),
                          vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(x)))},
                         {vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(y))),
                          vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(y)))}};
}

static inline narrow_acc narrow_dot(narrow_acc acc, narrow_rows both, int32_t taps)
{
    int16_t first = (int8_t)(uint8_t)taps, second = (int8_t)(uint8_t)((uint32_t)taps >> 8);
    acc.low = vmlaq_n_s16(acc.low, both.upper[0], first);
    acc.high = vmlaq_n_s16(acc.high, both.upper[1], first);
    acc.low = vmlaq_n_s16(acc.low, both.lower[0], second);
    acc.high = vmlaq_n_s16(acc.high, both.lower[1], second);
    return acc;
}

static inline int16x8_t narrow_clamp(int16x8_t v, int32_t shift, int32_t low, int32_t high)
{
    v = vshlq_s16(v, vdupq_n_s16((int16_t)-shift)); /* a negative left shift rounds down */
    return vminq_s16(vmaxq_s16(v, vdupq_n_s16((int16_t)low)), vdupq_n_s16((int16_t)high));
}

static inline void narrow_store_u8(narrow_acc acc, int32_t shift, int32_t low, int32_t high,
                                   uint8_t *p)
{
    vst1_u8(p, vqmovun_s16(narrow_clamp(acc.low, shift, low, high)));
    vst1_u8(p + 8, vqmovun_s16(narrow_clamp(acc.high, shift, low, high)));
}

static inline void narrow_store_s16(narrow_acc acc, int32_t shift, int32_t low, int32_t high,
                                    int16_t *p)
{
    vst1q_s16(p, narrow_clamp(acc.low, shift, low, high));
    vst1q_s16(p + 8, narrow_clamp(acc.high, shift, low, high));
}

static inline vs short_plus(vs a, vs b)
{
    return vaddq_s16(a, b);
}

static inline vs short_minus(vs a, vs b)
{
    return vsubq_s16(a, b);
}

static inline vs short_clamp(vs v, int32_t low, int32_t high)
{
    return vminq_s16(vmaxq_s16(v, vdupq_n_s16((int16_t)low)), vdupq_n_s16((int16_t)high));
}

/* (sum·multiplier >> 16) >> shift */
static inline vs short_scale(vs sum, uint16_t multiplier, int32_t shift)
{
    uint16x8_t t = vreinterpretq_u16_s16(sum);
    uint16x4_t low = vshrn_n_u32(vmull_n_u16(vget_low_u16(t), multiplier), 16);
    uint16x4_t high = vshrn_n_u32(vmull_n_u16(vget_high_u16(t), multiplier), 16);
    t = vshlq_u16(vcombine_u16(low, high), vdupq_n_s16((int16_t)-shift));
    return vreinterpretq_s16_u16(t);
}

static inline vs short_set(uint16_t add)
{
    return vreinterpretq_s16_u16(vdupq_n_u16(add));
}

static inline vs short_add(vs acc, vs a, int16_t tap)
{
    return vmlaq_n_s16(acc, a, tap);
}

static inline void short_store_u8(vs acc, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    uint16x8_t v = vshlq_u16(vreinterpretq_u16_s16(acc), vdupq_n_s16((int16_t)-shift));
    v = vmaxq_u16(v, vdupq_n_u16((uint16_t)low));
    vst1_u8(p, vmovn_u16(vminq_u16(v, vdupq_n_u16((uint16_t)high))));
}

static inline void short_store2_u8(vs a, vs b, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    short_store_u8(a, shift, low, high, p);
    short_store_u8(b, shift, low, high, p + PAIR_LANES);
}

/* √v rounded down, at most 2^16 − 1. */
static inline uint16x4_t root_down(uint32x4_t v)
{
    return vqmovn_u32(vcvtq_u32_f32(vsqrtq_f32(vcvtq_f32_u32(v))));
}

/* floor(√(a² + b²) + ½), or 256 if it is more than 255. With r = floor(√n) it is r, or r + 1 if n >
 * r² + r (see whole_root). Both fit 16 bits: n is limited to 2^16 − 1, and r to 255. */
static inline vs short_hypot(vs a, vs b)
{
    int16x4_t a_low = vget_low_s16(a), b_low = vget_low_s16(b);
    uint32x4_t low = vreinterpretq_u32_s32(vmlal_s16(vmull_s16(a_low, a_low), b_low, b_low));
    uint32x4_t high = vreinterpretq_u32_s32(vmlal_high_s16(vmull_high_s16(a, a), b, b));
    uint16x8_t n = vcombine_u16(vqmovn_u32(low), vqmovn_u32(high));
    uint16x8_t r = vcombine_u16(root_down(low), root_down(high));
    r = vminq_u16(r, vdupq_n_u16(UINT8_MAX));
    uint16x8_t product = vmlaq_u16(r, r, r);
    return vreinterpretq_s16_u16(vsubq_u16(r, vcgtq_u16(n, product)));
}

static inline vf vf_load_u8(const uint8_t *p)
{
    uint32_t four;
    memcpy(&four, p, sizeof four);
    uint16x8_t v = vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(four)));
    return vcvtq_f32_u32(vmovl_u16(vget_low_u16(v)));
}

static inline vf vf_load_u16(const uint16_t *p)
{
    return vcvtq_f32_u32(vmovl_u16(vld1_u16(p)));
}

static inline vf vf_load_s16(const int16_t *p)
{
    return vcvtq_f32_s32(vmovl_s16(vld1_s16(p)));
}

static inline vd vd_load_u8(const uint8_t *p)
{
    const double two[2] = {p[0], p[1]};
    return vld1q_f64(two);
}

static inline vd vd_load_u16(const uint16_t *p)
{
    uint32_t two;
    memcpy(&two, p, sizeof two);
    uint32x4_t v = vmovl_u16(vreinterpret_u16_u32(vdup_n_u32(two)));
    return vcvtq_f64_u64(vmovl_u32(vget_low_u32(v)));
}

static inline vd vd_load_s16(const int16_t *p)
{
    uint32_t two;
    memcpy(&two, p, sizeof two);
    int32x4_t v = vmovl_s16(vreinterpret_s16_u32(vdup_n_u32(two)));
    return vcvtq_f64_s64(vmovl_s32(vget_low_s32(v)));
}

static inline vd vd_load_f32(const float *p)
{
    return vcvt_f64_f32(vld1_f32(p));
}

static inline void vd_store_f32(float *p, vd v)
{
    vst1_f32(p, vcvt_f32_f64(v));
}

static inline vd vd_round_f32(vd v)
{
    return vcvt_f64_f32(vcvt_f32_f64(v));
}

typedef uint64x2_t vd_where; /* all bits of a lane, or none */

static inline vd_where vd_is_number(vd v)
{
    return vceqq_f64(v, v);
}

static inline vd_where vd_differs(vd a, vd b)
{
    return veorq_u64(vceqq_f64(a, b), vdupq_n_u64(UINT64_MAX));
}

static inline vd_where vd_equals(vd a, vd b)
{
    return vceqq_f64(a, b);
}

static inline vd_where vd_where_all(void)
{
    return vdupq_n_u64(UINT64_MAX);
}

static inline vd_where vd_where_both(vd_where a, vd_where b)
{
    return vandq_u64(a, b);
}

static inline bool vd_is_everywhere(vd_where where)
{
    return (vgetq_lane_u64(where, 0) & vgetq_lane_u64(where, 1)) == UINT64_MAX;
}

/* Is |a| at least b? */
static inline vd_where vd_reaches(vd a, vd b)
{
    return vcgeq_f64(vabsq_f64(a), b);
}

static inline vd vd_select(vd_where where, vd a, vd b)
{
    return vbslq_f64(where, a, b);
}

static inline vd vd_div(vd a, vd b)
{
    return vdivq_f64(a, b);
}

static inline vd vd_fma_where(vd acc, vd a, vd b, vd_where where)
{
    vd some = vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(b), where));
    return vfmaq_f64(acc, a, some);
}

static inline vd vd_add_where(vd acc, vd a, vd_where where)
{
    vd some = vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(a), where));
    return vaddq_f64(acc, some);
}

static inline vd vd_load(const double *p)
{
    return vld1q_f64(p);
}
#define vd_load_f64 vd_load

static inline vd vd_set(double v)
{
    return vdupq_n_f64(v);
}

static inline vd vd_add_product(vd acc, vd a, vd b)
{
    return vfmaq_f64(acc, a, b);
}

static inline vd vd_add(vd a, vd b)
{
    return vaddq_f64(a, b);
}

static inline vd vd_fma(vd acc, vd a, vd b)
{
    return vd_add_product(acc, a, b);
}

/* Compares, because vmax would change −0 to +0. */
static inline vd vd_clamp(vd v, vd low, vd high)
{
    v = vbslq_f64(vcltq_f64(v, low), low, v);
    return vbslq_f64(vcgtq_f64(v, high), high, v);
}

static inline vd vd_mul(vd a, vd b)
{
    return vmulq_f64(a, b);
}

static inline vd vd_floor_clamp(vd v, vd low, vd high)
{
    return vminq_f64(vmaxq_f64(vrndmq_f64(v), low), high);
}

static inline void vd_store(double *p, vd v)
{
    vst1q_f64(p, v);
}

static inline void vd_store_s32(int32_t *p, vd v)
{
    vst1_s32(p, vmovn_s64(vcvtq_s64_f64(v)));
}

static inline vf vf_load(const float *p)
{
    return vld1q_f32(p);
}

static inline vf vf_set(float v)
{
    return vdupq_n_f32(v);
}

static inline vf vf_add(vf a, vf b)
{
    return vaddq_f32(a, b);
}

static inline vf vf_fma(vf acc, vf a, vf b)
{
    return vfmaq_f32(acc, a, b);
}

/* Compares, because vmax would change −0 to +0. */
static inline vf vf_clamp(vf v, vf low, vf high)
{
    v = vbslq_f32(vcltq_f32(v, low), low, v);
    return vbslq_f32(vcgtq_f32(v, high), high, v);
}

static inline void vf_store(float *p, vf v)
{
    vst1q_f32(p, v);
}

#include "cpu/vec_neon_long.h"
