/* Operations that are the same for x86 vectors of any length. A vec_*.h defines these and then
 * includes this file:
 *   X(op)              the intrinsic `op` of its length
 *   vd, vf             vectors of doubles and of floats
 *   vi, vi_load, vi_store, vi_and, vi_or, vi_xor   a vector of integers; any alignment
 *   vi_store_half, vi_store_upper_half       stores the first or second half of a vector
 *   vi_stream          a non-temporal store to an aligned address
 *   vi_sra16, vi_sra32, vi_srl16             every lane shifted by the same number of bits
 *   store_half(v, p)   16-bit lanes that fit a byte, as bytes, in order
 *   store_shorts(a, b, p)   the results of unpacklo and unpackhi of bytes, in the order of samples
 *   order_bytes(v)     the result of packus of two ordered vectors, in order
 *   order_quads(v)     the result of packs and packus of four ordered vectors, in order
 *   odd_lanes(a, b)    32-bit lanes: the even ones of a, the odd ones of b
 *   vf_near_rsqrt(v)   1/√v within 2^-11 of it; infinite for 0
 *   vl_change_s16(a, b)   differences of 16-bit samples, as 32-bit lanes
 *   vl_index, vl_index_set, vl_pick, vl_pick_all   see vl below */
typedef vi vs;
#define HAVE_STREAM 1

/* Keeps a value in a register; otherwise compilers fold the load into both halves of an
 * interleave. */
#define KEEP(v) __asm__("" : KEEP_IN(v))

static inline vs vs_load_s16(const int16_t *p)
{
    return vi_load(p);
}

/* The even or odd ones of a block of bytes, and the bytes of such samples of 8 bits; `flip` is
 * added to them. With it, they may be negative. */
static inline vs vs_load_half_u8(const uint8_t *p, const int odd)
{
    vi v = vi_load(p);
    return odd ? X(srli_epi16)(v, 8) : vi_and(v, X(set1_epi16)(UINT8_MAX));
}

static inline void vs_store_halves(vs even, vs odd, const int flip, uint8_t *p)
{
    even = flip ? vi_and(even, X(set1_epi16)(UINT8_MAX)) : even;
    vi v = vi_or(even, X(slli_epi16)(odd, 8));
    vi_store(p, flip ? vi_xor(v, X(set1_epi8)((char)flip)) : v);
}

static inline vs vs_set_s16(int16_t v)
{
    return X(set1_epi16)(v);
}

static inline void vs_store_s16(int16_t *p, vs v)
{
    vi_store(p, v);
}

typedef struct {
    vi low, high; /* in the order of unpack; pack restores the order */
} pair_acc;
typedef pair_acc pair_rows;

static inline pair_acc pair_set(int32_t add)
{
    vi v = X(set1_epi32)(add);
    return (pair_acc){v, v};
}

#if !HAVE_DOT_ADD
/* Adds two products per lane. Otherwise gcc adds products in another order, which takes more
 * registers than there are. */
static inline vi dot_add(vi acc, vi both, vi taps)
{
    acc = X(add_epi32)(acc, X(madd_epi16)(both, taps));
    KEEP(acc);
    return acc;
}
#endif

/* Interleaves samples. */
static inline pair_rows pair_interleave(vs a, vs b)
{
    KEEP(a);
    KEEP(b);
    return (pair_rows){X(unpacklo_epi16)(a, b), X(unpackhi_epi16)(a, b)};
}

static inline pair_rows pair_join_u8(const uint8_t *a, const uint8_t *b)
{
    return pair_interleave(vs_load_u8(a), vs_load_u8(b));
}

static inline pair_rows pair_join_s16(const int16_t *a, const int16_t *b)
{
    return pair_interleave(vs_load_s16(a), vs_load_s16(b));
}

/* The same for u16 samples, minus 2^15. */
static inline pair_rows pair_join_u16(const uint16_t *a, const uint16_t *b)
{
    pair_rows both = pair_interleave(vi_load(a), vi_load(b));
    vi sign = X(set1_epi16)(INT16_MIN);
    return (pair_rows){vi_xor(both.low, sign), vi_xor(both.high, sign)};
}

static inline pair_acc pair_dot(pair_acc acc, pair_rows both, int32_t taps)
{
    vi w = X(set1_epi32)(taps);
    acc.low = dot_add(acc.low, both.low, w);
    acc.high = dot_add(acc.high, both.high, w);
    return acc;
}

static inline pair_acc pair_add(pair_acc acc, vs a, vs b, int32_t taps)
{
    return pair_dot(acc, pair_interleave(a, b), taps);
}

static inline pair_acc pair_shift(pair_acc acc, int32_t shift)
{
    return (pair_acc){vi_sra32(acc.low, shift), vi_sra32(acc.high, shift)};
}

/* A saturating pack does not change values within the 16-bit range, and the clamp limits the
 * others. */
static inline vi clamp_s16(vi v, int32_t low, int32_t high)
{
    if (low > INT16_MIN || high < INT16_MAX)
        v = X(min_epi16)(X(max_epi16)(v, X(set1_epi16)((int16_t)low)),
                         X(set1_epi16)((int16_t)high));
    return v;
}

static inline vi clamp_u16(vi v, int32_t low, int32_t high)
{
    if (low > 0 || high < UINT16_MAX)
        v = X(min_epu16)(X(max_epu16)(v, X(set1_epi16)((int16_t)(uint16_t)low)),
                         X(set1_epi16)((int16_t)(uint16_t)high));
    return v;
}

static inline vi clamp_u8(vi v, int32_t low, int32_t high)
{
    if (low > 0 || high < UINT8_MAX)
        v = X(min_epu8)(X(max_epu8)(v, X(set1_epi8)((char)low)), X(set1_epi8)((char)high));
    return v;
}

static inline vi pair_pack_s16(pair_acc acc, int32_t shift, int32_t low, int32_t high)
{
    acc = pair_shift(acc, shift);
    return clamp_s16(X(packs_epi32)(acc.low, acc.high), low, high);
}

static inline vi pair_pack_u16(pair_acc acc, int32_t shift, int32_t low, int32_t high)
{
    acc = pair_shift(acc, shift);
    return clamp_u16(X(packus_epi32)(acc.low, acc.high), low, high);
}

/* The same by a constant. */
#define pair_pack_by(acc, shift)                                                                   \
    X(packs_epi32)(X(srai_epi32)((acc).low, shift), X(srai_epi32)((acc).high, shift))

/* For any 16-bit range: saturation keeps every value that a later clamp keeps. */
static inline vi pair_pack(pair_acc acc, int32_t shift)
{
    return pair_pack_s16(acc, shift, INT16_MIN, INT16_MAX);
}

/* low and high are within 0..255 here, so the clamped values fit a byte. */
static inline void pair_store_u8(pair_acc acc, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    store_half(pair_pack_s16(acc, shift, low, high), p);
}

static inline void pair_store2_u8(pair_acc a, pair_acc b, int32_t shift, int32_t low, int32_t high,
                                  uint8_t *p)
{
    vi v = X(packus_epi16)(pair_pack(a, shift), pair_pack(b, shift));
    vi_store(p, clamp_u8(order_bytes(v), low, high));
}

static inline void pair_store_s16(pair_acc acc, int32_t shift, int32_t low, int32_t high,
                                  int16_t *p)
{
    vi_store(p, pair_pack_s16(acc, shift, low, high));
}

static inline void pair_store_u16(pair_acc acc, int32_t shift, int32_t low, int32_t high,
                                  uint16_t *p)
{
    vi_store(p, pair_pack_u16(acc, shift, low, high));
}

typedef struct {
    vi low, high; /* in the order of unpack; pack restores the order */
} narrow_acc;
typedef narrow_acc narrow_rows;

static inline narrow_acc narrow_set(int16_t add)
{
    vi v = X(set1_epi16)(add);
    return (narrow_acc){v, v};
}

/* Interleaves samples of two rows. */
static inline narrow_rows narrow_join(const uint8_t *a, const uint8_t *b)
{
    vi x = vi_load(a), y = vi_load(b);
    KEEP(x);
    KEEP(y);
    return (narrow_rows){X(unpacklo_epi8)(x, y), X(unpackhi_epi8)(x, y)};
}

static inline narrow_acc narrow_dot(narrow_acc acc, narrow_rows both, int32_t taps)
{
    vi w = X(set1_epi32)(taps);
    acc.low = X(add_epi16)(acc.low, X(maddubs_epi16)(both.low, w));
    acc.high = X(add_epi16)(acc.high, X(maddubs_epi16)(both.high, w));
    return acc;
}

/* Without it gcc computes, and stores, all products before it adds any. */
static inline narrow_acc narrow_keep(narrow_acc acc)
{
    KEEP(acc.low);
    KEEP(acc.high);
    return acc;
}
#define NARROW_KEEP narrow_keep

static inline void store_bytes(narrow_acc sums, int32_t low, int32_t high, uint8_t *p)
{
    vi_store(p, clamp_u8(X(packus_epi16)(sums.low, sums.high), low, high));
}

static inline narrow_acc narrow_shift(narrow_acc acc, int32_t shift)
{
    return (narrow_acc){vi_sra16(acc.low, shift), vi_sra16(acc.high, shift)};
}

static inline void narrow_store_u8(narrow_acc acc, int32_t shift, int32_t low, int32_t high,
                                   uint8_t *p)
{
    store_bytes(narrow_shift(acc, shift), low, high, p);
}

static inline void narrow_stream_u8(narrow_acc acc, int32_t shift, int32_t low, int32_t high,
                                    uint8_t *p)
{
    acc = narrow_shift(acc, shift);
    vi_stream(p, clamp_u8(X(packus_epi16)(acc.low, acc.high), low, high));
}

static inline void narrow_store_s16(narrow_acc acc, int32_t shift, int32_t low, int32_t high,
                                    int16_t *p)
{
    acc = narrow_shift(acc, shift);
    store_shorts(clamp_s16(acc.low, low, high), clamp_s16(acc.high, low, high), p);
}

static inline vs short_set(uint16_t add)
{
    return X(set1_epi16)((int16_t)add);
}

static inline vs short_add(vs acc, vs a, int16_t tap)
{
    return X(add_epi16)(acc, X(mullo_epi16)(a, X(set1_epi16)(tap)));
}

static inline vs short_plus(vs a, vs b)
{
    return X(add_epi16)(a, b);
}

static inline vs short_minus(vs a, vs b)
{
    return X(sub_epi16)(a, b);
}

static inline vs short_clamp(vs v, int32_t low, int32_t high)
{
    return clamp_s16(v, low, high);
}

/* (sum·multiplier >> 16) >> shift */
static inline vs short_scale(vs sum, uint16_t multiplier, int32_t shift)
{
    return vi_srl16(X(mulhi_epu16)(sum, X(set1_epi16)((int16_t)multiplier)), shift);
}

static inline void short_store_u8(vs acc, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    store_half(clamp_u16(vi_srl16(acc, shift), low, high), p);
}

/* Sums below 2^16 may exceed 2^15. Packing treats them as signed, so they are limited to 255
 * first. */
static inline vi short_pack2_u8(vs a, vs b, int32_t shift, int32_t low, int32_t high)
{
    vi most = X(set1_epi16)(UINT8_MAX);
    vi v = X(packus_epi16)(X(min_epu16)(vi_srl16(a, shift), most),
                           X(min_epu16)(vi_srl16(b, shift), most));
    return clamp_u8(order_bytes(v), low, high);
}

static inline void short_store2_u8(vs a, vs b, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    vi_store(p, short_pack2_u8(a, b, shift, low, high));
}

static inline void short_stream2_u8(vs a, vs b, int32_t shift, int32_t low, int32_t high,
                                    uint8_t *p)
{
    vi_stream(p, short_pack2_u8(a, b, shift, low, high));
}

/* √v rounded down, or 1 more or less if it is close to a whole number; negative for 0, so
 * that packing makes 0 of it. */
static inline vi near_root(vi v)
{
    vf f = X(cvtepi32_ps)(v);
    return X(cvttps_epi32)(X(mul_ps)(f, vf_near_rsqrt(f)));
}

/* floor(√(a² + b²) + ½), or 256 if it is more than 255. The root before it is rounded down is
 * within 255·2^-11 = ⅛, so r is the result or one less; it is one less if n > r² + r (see
 * whole_root). Both fit 16 bits: n is limited to 2^16 − 1, and r to 255. */
static inline vs short_hypot(vs a, vs b)
{
    a = X(max_epi16)(a, X(set1_epi16)(-INT16_MAX)); /* 2·2^30 would not fit 32 bits */
    pair_rows both = pair_interleave(a, b);
    vi low = X(madd_epi16)(both.low, both.low), high = X(madd_epi16)(both.high, both.high);
    vi n = X(packus_epi32)(low, high), r = X(packus_epi32)(near_root(low), near_root(high));
    r = X(min_epu16)(r, X(set1_epi16)(UINT8_MAX));
    vi one = X(set1_epi16)(1), product = X(mullo_epi16)(r, X(add_epi16)(r, one));
    return X(add_epi16)(r, X(min_epu16)(X(subs_epu16)(n, product), one));
}

static inline vd vd_load(const double *p)
{
    return X(loadu_pd)(p);
}
#define vd_load_f64 vd_load

static inline vd vd_set(double v)
{
    return X(set1_pd)(v);
}

static inline vd vd_add_product(vd acc, vd a, vd b)
{
#if HAVE_FMA
    return X(fmadd_pd)(a, b, acc);
#else
    return X(add_pd)(acc, X(mul_pd)(a, b));
#endif
}

static inline vd vd_add(vd a, vd b)
{
    return X(add_pd)(a, b);
}

static inline vd vd_fma(vd acc, vd a, vd b)
{
    return vd_add_product(acc, a, b);
}

/* min and max return their second operand if one is NaN, so NaN is kept. */
static inline vd vd_clamp(vd v, vd low, vd high)
{
    return X(min_pd)(high, X(max_pd)(low, v));
}

/* Stores to memory without the caches; the other vectors of the cache line follow. */
static inline void vd_stream(double *p, vd v)
{
    X(stream_pd)(p, v);
}

static inline vd vd_mul(vd a, vd b)
{
    return X(mul_pd)(a, b);
}

static inline vd vd_div(vd a, vd b)
{
    return X(div_pd)(a, b);
}

static inline vd vd_floor_clamp(vd v, vd low, vd high)
{
    return X(min_pd)(X(max_pd)(X(floor_pd)(v), low), high);
}

static inline void vd_store(double *p, vd v)
{
    X(storeu_pd)(p, v);
}

static inline vf vf_load(const float *p)
{
    return X(loadu_ps)(p);
}

static inline vf vf_set(float v)
{
    return X(set1_ps)(v);
}

static inline vf vf_add(vf a, vf b)
{
    return X(add_ps)(a, b);
}

static inline vf vf_fma(vf acc, vf a, vf b)
{
#if HAVE_FMA
    return X(fmadd_ps)(a, b, acc);
#else
    return X(add_ps)(acc, X(mul_ps)(a, b));
#endif
}

/* min and max return their second operand if one is NaN, so NaN is kept. */
static inline vf vf_clamp(vf v, vf low, vf high)
{
    return X(min_ps)(high, X(max_ps)(low, v));
}

static inline void vf_store(float *p, vf v)
{
    X(storeu_ps)(p, v);
}

/* Stores to memory without the caches; the other vectors of the cache line follow. */
static inline void vf_stream(float *p, vf v)
{
    X(stream_ps)(p, v);
}

/* 32-bit lanes. vl_pick takes lanes from the places of an index, 0 where that is negative;
 * vl_pick_all is for indices without negative places. */
typedef vi vl;

static inline vl vl_load(const void *p)
{
    return vi_load(p);
}

static inline void vl_store(void *p, vl v)
{
    vi_store(p, v);
}

static inline vl vl_set(int32_t v)
{
    return X(set1_epi32)(v);
}

static inline vl vl_add(vl a, vl b)
{
    return X(add_epi32)(a, b);
}

static inline vl vl_change_s32(const int32_t *a, const int32_t *b)
{
    return X(sub_epi32)(vi_load(a), vi_load(b));
}

/* (v·multiplier >> 32) >> shift */
static inline vl vl_divide(vl v, uint32_t multiplier, int32_t shift)
{
    vi by = X(set1_epi32)((int32_t)multiplier);
    vi even = X(mul_epu32)(v, by), odd = X(mul_epu32)(X(srli_epi64)(v, 32), by);
    return X(srl_epi32)(odd_lanes(X(srli_epi64)(even, 32), odd), _mm_cvtsi32_si128(shift));
}

static inline vl vl_sra(vl v, int32_t shift)
{
    return vi_sra32(v, shift);
}

/* Pairs of samples of two rows: 16 bits of each in a lane. vl_join_… joins PAIR_LANES samples. */
typedef vi vl_pairs;

static inline vl_pairs vl_pairs_load(const int32_t *p)
{
    return vi_load(p);
}

/* Adds two products per lane; there are TAP_LANES copies of the taps. */
static inline vl vl_dot(vl acc, vl_pairs both, const int32_t *taps)
{
#if HAVE_PAIR_PRODUCTS
    acc = X(add_epi32)(acc, pair_products(both, taps));
    KEEP(acc);
    return acc;
#else
    return dot_add(acc, both, TAP_LANES > 1 ? vi_load(taps) : X(set1_epi32)(*taps));
#endif
}

static inline void vl_join_s16(const int16_t *a, const int16_t *b, int32_t *to)
{
    pair_rows both = pair_join_s16(a, b);
    store_shorts(both.low, both.high, to);
}

/* The same for u16 samples, minus 2^15. */
static inline void vl_join_u16(const uint16_t *a, const uint16_t *b, int32_t *to)
{
    pair_rows both = pair_join_u16(a, b);
    store_shorts(both.low, both.high, to);
}

/* Each vl_store_… stores one vector, vl_store2_… two, vl_store4_… four; …_rows_… one or two of each
 * of two rows, at q before those at p. */
static inline void vi_store_halves(vi v, void *p, void *q)
{
    vi_store_upper_half(q, v);
    vi_store_half(p, v);
}

static inline void vl_store_rows_s16(vl a, vl b, int32_t low, int32_t high, int16_t *p, int16_t *q)
{
    vi_store_halves(clamp_s16(order_bytes(X(packs_epi32)(a, b)), low, high), p, q);
}

static inline void vl_store_rows_u16(vl a, vl b, int32_t low, int32_t high, uint16_t *p,
                                     uint16_t *q)
{
    vi_store_halves(clamp_u16(order_bytes(X(packus_epi32)(a, b)), low, high), p, q);
}

static inline void vl_store_u8(vl v, int32_t low, int32_t high, uint8_t *p)
{
    uint8_t twice[2 * LONG_LANES];
    store_half(clamp_s16(order_bytes(X(packs_epi32)(v, v)), low, high), twice);
    memcpy(p, twice, LONG_LANES);
}

static inline void vl_store2_s16(vl a, vl b, int32_t low, int32_t high, int16_t *p)
{
    vi_store(p, clamp_s16(order_bytes(X(packs_epi32)(a, b)), low, high));
}

static inline void vl_store2_u16(vl a, vl b, int32_t low, int32_t high, uint16_t *p)
{
    vi_store(p, clamp_u16(order_bytes(X(packus_epi32)(a, b)), low, high));
}

static inline vi vl_bytes(const vl *a, const vl *b, int32_t low, int32_t high)
{
    vi bytes = X(packus_epi16)(X(packs_epi32)(a[0], a[1]), X(packs_epi32)(b[0], b[1]));
    return clamp_u8(order_quads(bytes), low, high);
}

static inline void vl_store2_rows_u8(const vl *a, const vl *b, int32_t low, int32_t high,
                                     uint8_t *p, uint8_t *q)
{
    vi_store_halves(vl_bytes(a, b, low, high), p, q);
}

static inline void vl_store4_u8(const vl *v, int32_t low, int32_t high, uint8_t *p)
{
    vi_store(p, vl_bytes(v, v + 2, low, high));
}
