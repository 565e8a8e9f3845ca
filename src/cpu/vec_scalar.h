/* Vectors of one lane: plain C for every machine. */
#define HAVE_FMA         1 /* fmaf of the C library is exact */
#define NARROW_LANES     1
#define PAIR_LANES       1
#define WIDE_LANES       1
#define FLOAT_LANES      1
#define LONG_LANES       1
#define MULTIROW_PAIRS   1
#define U8_PAIRS         1
#define MULTIROW_VECTORS 1
#define FLOAT_HEIGHT     4
#define FLOAT_VECTORS    1
#define LOW_VECTORS      1
#define PASSES_VECTORS   1
#define SMALL_VECTORS    1
#define PAIRED_SUMS      2 /* see paired_body.h */
#define TAP_LANES        1

typedef int32_t vs;
typedef struct {
    int32_t sum;
} pair_acc;
typedef double vd;
typedef float vf;

static inline vs vs_load_u8(const uint8_t *p)
{
    return *p;
}

static inline vs vs_load_half_u8(const uint8_t *p, const int odd)
{
    return p[odd];
}

static inline void vs_store_halves(vs even, vs odd, const int flip, uint8_t *p)
{
    p[0] = (uint8_t)(even + flip);
    p[1] = (uint8_t)(odd + flip);
}

static inline vs vs_set_s16(int16_t v)
{
    return v;
}

static inline void vs_store_s16(int16_t *p, vs v)
{
    *p = (int16_t)(uint16_t)v;
}

static inline vs vs_load_s16(const int16_t *p)
{
    return *p;
}

static inline pair_acc pair_set(int32_t add)
{
    return (pair_acc){add};
}

static inline pair_acc pair_add(pair_acc acc, vs a, vs b, int32_t taps)
{
    int16_t first = (int16_t)(uint16_t)taps, second = (int16_t)(uint16_t)((uint32_t)taps >> 16);
    /* Rows that are not wanted may overflow. */
    acc.sum = (int32_t)((uint32_t)acc.sum + (uint32_t)(a * first) + (uint32_t)(b * second));
    return acc;
}

#define pair_pack_by(acc, shift) ((acc).sum >> (shift))

typedef struct {
    int32_t upper, lower;
} pair_rows;

static inline pair_rows pair_interleave(vs a, vs b)
{
    return (pair_rows){a, b};
}

static inline pair_rows pair_join_u8(const uint8_t *a, const uint8_t *b)
{
    return (pair_rows){*a, *b};
}

static inline pair_rows pair_join_s16(const int16_t *a, const int16_t *b)
{
    return (pair_rows){*a, *b};
}

/* The same for u16 samples, minus 2^15. */
static inline pair_rows pair_join_u16(const uint16_t *a, const uint16_t *b)
{
    return (pair_rows){*a - 32768, *b - 32768};
}

static inline pair_acc pair_dot(pair_acc acc, pair_rows both, int32_t taps)
{
    return pair_add(acc, both.upper, both.lower, taps);
}

static inline int32_t clamp_one(int32_t v, int32_t low, int32_t high)
{
    return v < low ? low : v > high ? high : v;
}

#define PAIR_STORE(type)                                                                           \
    static inline void pair_store_##type(pair_acc acc, int32_t shift, int32_t low, int32_t high,   \
                                         SAMPLE_##type *p)                                         \
    {                                                                                              \
        *p = (SAMPLE_##type)clamp_one(acc.sum >> shift, low, high);                                \
    }
PAIR_STORE(u8)
PAIR_STORE(u16)
PAIR_STORE(s16)
#undef PAIR_STORE

typedef struct {
    int32_t sum;
} narrow_acc;

static inline narrow_acc narrow_set(int16_t add)
{
    return (narrow_acc){add};
}

typedef struct {
    int32_t upper, lower;
} narrow_rows;

static inline narrow_rows narrow_join(const uint8_t *a, const uint8_t *b)
{
    return (narrow_rows){*a, *b};
}

static inline narrow_acc narrow_dot(narrow_acc acc, narrow_rows both, int32_t taps)
{
    acc.sum +=
        both.upper * (int8_t)(uint8_t)taps + both.lower * (int8_t)(uint8_t)((uint32_t)taps >> 8);
    return acc;
}

static inline void narrow_store_u8(narrow_acc acc, int32_t shift, int32_t low, int32_t high,
                                   uint8_t *p)
{
    *p = (uint8_t)clamp_one(acc.sum >> shift, low, high);
}

static inline void narrow_store_s16(narrow_acc acc, int32_t shift, int32_t low, int32_t high,
                                    int16_t *p)
{
    *p = (int16_t)clamp_one(acc.sum >> shift, low, high);
}

static inline vs short_plus(vs a, vs b)
{
    return a + b;
}

static inline vs short_minus(vs a, vs b)
{
    return a - b;
}

static inline vs short_clamp(vs v, int32_t low, int32_t high)
{
    return clamp_one(v, low, high);
}

/* (sum·multiplier >> 16) >> shift */
static inline vs short_scale(vs sum, uint16_t multiplier, int32_t shift)
{
    return (vs)(((uint32_t)(uint16_t)sum * multiplier >> 16) >> shift);
}

static inline vs short_set(uint16_t add)
{
    return add;
}

static inline vs short_add(vs acc, vs a, int16_t tap)
{
    return acc + a * tap;
}

static inline void short_store_u8(vs acc, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    *p = (uint8_t)clamp_one(acc >> shift, low, high);
}

static inline void pair_store2_u8(pair_acc a, pair_acc b, int32_t shift, int32_t low, int32_t high,
                                  uint8_t *p)
{
    pair_store_u8(a, shift, low, high, p);
    pair_store_u8(b, shift, low, high, p + 1);
}

static inline void short_store2_u8(vs a, vs b, int32_t shift, int32_t low, int32_t high, uint8_t *p)
{
    short_store_u8(a, shift, low, high, p);
    short_store_u8(b, shift, low, high, p + 1);
}

/* floor(√(a² + b²) + ½), or 256 if it is more than 255. With r = floor(√n) it is r, or r + 1 if n >
 * r² + r (see whole_root). */
static inline vs short_hypot(vs a, vs b)
{
    uint32_t n = (uint32_t)(a * a) + (uint32_t)(b * b);
    int32_t r = (int32_t)sqrtf((float)n);
    r = r < UINT8_MAX ? r : UINT8_MAX;
    return r + (n > (uint32_t)(r * r + r));
}

#define WIDE_LOAD(type)                                                                            \
    static inline vd vd_load_##type(const SAMPLE_##type *p)                                        \
    {                                                                                              \
        return (vd)*p;                                                                             \
    }
WIDE_LOAD(u8)
WIDE_LOAD(u16)
WIDE_LOAD(s16)
WIDE_LOAD(f64)
#undef WIDE_LOAD

#define FLOAT_LOAD(type)                                                                           \
    static inline vf vf_load_##type(const SAMPLE_##type *p)                                        \
    {                                                                                              \
        return (vf)*p;                                                                             \
    }
FLOAT_LOAD(u8)
FLOAT_LOAD(u16)
FLOAT_LOAD(s16)
#undef FLOAT_LOAD

static inline vd vd_load_f32(const float *p)
{
    return (vd)*p;
}

static inline void vd_store_f32(float *p, vd v)
{
    *p = (float)v;
}

static inline vd vd_round_f32(vd v)
{
    return (vd)(float)v;
}

typedef bool vd_where;

static inline vd_where vd_is_number(vd v)
{
    return v == v;
}

static inline vd_where vd_differs(vd a, vd b)
{
    return a != b;
}

static inline vd_where vd_equals(vd a, vd b)
{
    return a == b;
}

static inline vd_where vd_where_all(void)
{
    return true;
}

static inline vd_where vd_where_both(vd_where a, vd_where b)
{
    return a && b;
}

static inline bool vd_is_everywhere(vd_where where)
{
    return where;
}

/* Is |a| at least b? */
static inline vd_where vd_reaches(vd a, vd b)
{
    return fabs(a) >= b;
}

static inline vd vd_select(vd_where where, vd a, vd b)
{
    return where ? a : b;
}

static inline vd vd_div(vd a, vd b)
{
    return a / b;
}

static inline vd vd_fma_where(vd acc, vd a, vd b, vd_where where)
{
    return where ? fma(a, b, acc) : acc;
}

static inline vd vd_add_where(vd acc, vd a, vd_where where)
{
    return where ? acc + a : acc;
}

static inline vd vd_set(double v)
{
    return v;
}

static inline vd vd_add_product(vd acc, vd a, vd b)
{
    return acc + a * b;
}

static inline vd vd_load(const double *p)
{
    return *p;
}

static inline vd vd_add(vd a, vd b)
{
    return a + b;
}

static inline vd vd_fma(vd acc, vd a, vd b)
{
    return fma(a, b, acc);
}

static inline vd vd_clamp(vd v, vd low, vd high)
{
    return v < low ? low : v > high ? high : v;
}

static inline vd vd_mul(vd a, vd b)
{
    return a * b;
}

static inline vd vd_floor_clamp(vd v, vd low, vd high)
{
    v = floor(v);
    return v < low ? low : v > high ? high : v;
}

static inline void vd_store(double *p, vd v)
{
    *p = v;
}

static inline void vd_store_s32(int32_t *p, vd v)
{
    *p = (int32_t)v;
}

static inline vf vf_load(const float *p)
{
    return *p;
}

static inline vf vf_set(float v)
{
    return v;
}

static inline vf vf_add(vf a, vf b)
{
    return a + b;
}

static inline vf vf_fma(vf acc, vf a, vf b)
{
    return fmaf(a, b, acc);
}

static inline vf vf_clamp(vf v, vf low, vf high)
{
    return v < low ? low : v > high ? high : v;
}

static inline void vf_store(float *p, vf v)
{
    *p = v;
}

/* 32-bit lanes, and pairs of samples of two rows in them. */
typedef int32_t vl;
typedef int32_t vl_pairs;

static inline vl vl_set(int32_t v)
{
    return v;
}

static inline vl vl_add(vl a, vl b)
{
    return a + b;
}

static inline vl vl_sra(vl v, int32_t shift)
{
    return v >> shift;
}

static inline void vl_store(void *p, vl v)
{
    *(int32_t *)p = v;
}

static inline vl_pairs vl_pairs_load(const int32_t *p)
{
    return *p;
}

static inline vl vl_dot(vl acc, vl_pairs both, const int32_t *taps)
{
    int16_t first = (int16_t)(uint16_t)both, second = (int16_t)(uint16_t)((uint32_t)both >> 16);
    return pair_add((pair_acc){acc}, first, second, *taps).sum;
}

#define VL_JOIN(type)                                                                              \
    static inline void vl_join_##type(const SAMPLE_##type *a, const SAMPLE_##type *b, int32_t *to) \
    {                                                                                              \
        pair_rows both = pair_join_##type(a, b);                                                   \
        *to = kernel_join_shorts(both.upper, both.lower);                                          \
    }
VL_JOIN(u8)
VL_JOIN(u16)
VL_JOIN(s16)
#undef VL_JOIN

#define VL_STORE_ROWS(type)                                                                        \
    static inline void vl_store_rows_##type(vl a, vl b, int32_t low, int32_t high,                 \
                                            SAMPLE_##type *p, SAMPLE_##type *q)                    \
    {                                                                                              \
        vl_store_##type(b, low, high, q);                                                          \
        vl_store_##type(a, low, high, p);                                                          \
    }
#define VL_STORE(type)                                                                             \
    static inline void vl_store_##type(vl v, int32_t low, int32_t high, SAMPLE_##type *p)          \
    {                                                                                              \
        *p = (SAMPLE_##type)clamp_one(v, low, high);                                               \
    }                                                                                              \
    static inline void vl_store2_##type(vl a, vl b, int32_t low, int32_t high, SAMPLE_##type *p)   \
    {                                                                                              \
        vl_store_##type(a, low, high, p);                                                          \
        vl_store_##type(b, low, high, p + 1);                                                      \
    }                                                                                              \
    VL_STORE_ROWS(type)
VL_STORE(u8)
VL_STORE(u16)
VL_STORE(s16)
#undef VL_STORE
#undef VL_STORE_ROWS

static inline void vl_store2_rows_u8(const vl *a, const vl *b, int32_t low, int32_t high,
                                     uint8_t *p, uint8_t *q)
{
    vl_store2_u8(b[0], b[1], low, high, q);
    vl_store2_u8(a[0], a[1], low, high, p);
}

static inline void vl_store4_u8(const vl *v, int32_t low, int32_t high, uint8_t *p)
{
    vl_store2_u8(v[0], v[1], low, high, p);
    vl_store2_u8(v[2], v[3], low, high, p + 2);
}
