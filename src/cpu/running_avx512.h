/* Running sums along a row with AVX-512, 16 at a time. Each lane adds the samples that enter and
 * subtracts those that leave along its own channel, starting from the last sum of the vector
 * before. */

struct running {
    __m512i from[4];   /* lanes one, two, four and eight samples of the same channel earlier */
    __mmask16 keep[4]; /* masks of the lanes that exist */
    __m512i last;      /* the last lane of the same channel in the previous vector */
    __m512i add, reciprocal, shift; /* add: n/2 */
    __m512 quotient;                /* the smallest float above 1/n */
};

static inline struct running running_set(int64_t apart, double divisor, struct reciprocal by)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    struct running r;
    int32_t back = (int32_t)apart;
    r.last = _mm512_add_epi32(lane, _mm512_set1_epi32(16 - back));
    for (int step = 0; step < 4 && back < 16; back *= 2, step++) {
        r.from[step] = _mm512_sub_epi32(lane, _mm512_set1_epi32(back));
        r.keep[step] = (__mmask16)(0xffffu << back);
    }
    for (int32_t i = (int32_t)apart; i < 16; i += (int32_t)apart) /* lane modulo apart */
        r.last = _mm512_mask_sub_epi32(r.last, (__mmask16)(0xffffu << i), r.last,
                                       _mm512_set1_epi32((int32_t)apart));
    r.add = _mm512_set1_epi32((int32_t)divisor / 2);
    r.reciprocal = _mm512_set1_epi64((int64_t)by.multiplier);
    r.shift = _mm512_set1_epi32(by.shift);
    float quotient = (float)(1.0 / divisor);
    r.quotient =
        _mm512_set1_ps((double)quotient * divisor > 1.0 ? quotient : nextafterf(quotient, 1.0f));
    return r;
}

/* The next 16 sums, from the previous 16 and the changes. */
static inline __m512i running_add(const struct running *r, int steps, __m512i before,
                                  __m512i change)
{
    for (int s = 0; s < steps; s++)
        change = _mm512_add_epi32(change,
                                  _mm512_maskz_permutexvar_epi32(r->keep[s], r->from[s], change));
    return _mm512_add_epi32(change, _mm512_permutexvar_epi32(r->last, before));
}

/* floor((2S + n) / 2n) in the low byte of each lane. Floats suffice while n is below
 * RUNNING_FLOATS. Adding 2^23 rounds to a whole number. S times the smallest float above 1/n
 * exceeds S/n by less than 2^-15, which is not more than 1/2n: halves round up, and smaller
 * fractions, which are at least 1/2n below a half, down. */
enum { RUNNING_FLOATS = 1 << 14 };

static inline __m512i running_mean(const struct running *r, bool floats, __m512i sum)
{
    if (floats)
        return _mm512_castps_si512(
            _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), r->quotient, _mm512_set1_ps(0x1p23f)));
    __m512i t = _mm512_add_epi32(sum, r->add);
    __m512i even = _mm512_mul_epu32(t, r->reciprocal);
    __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(t, 32), r->reciprocal);
    __m512i high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
    return _mm512_srlv_epi32(high, r->shift);
}

/* Computes the differences between entering and leaving samples, 32 samples of 16 bits, as two
 * vectors. */
static inline __m512i running_change(const int16_t *entering, const int16_t *leaving,
                                     __mmask32 lanes)
{
    return _mm512_sub_epi16(_mm512_maskz_loadu_epi16(lanes, entering),
                            _mm512_maskz_loadu_epi16(lanes, leaving));
}

static inline __m512i running_widen(__m512i change, int half)
{
    return _mm512_cvtepi16_epi32(half ? _mm512_extracti64x4_epi64(change, 1)
                                      : _mm512_castsi512_si256(change));
}

/* The first sums without the entering samples, in the lanes that the first vector starts from. */
static inline __m512i running_first(const int16_t *columns, int64_t taps, int64_t apart)
{
    __mmask16 lanes = (__mmask16)((1u << apart) - 1);
    __m512i sum = _mm512_setzero_si512(), pairs = sum;
    int64_t t = 0;
    /* Two column sums below 2^15 fit 16 bits without a sign. */
    for (; t + 2 < taps; t += 2) {
        const int16_t *two = columns + t * apart;
        pairs = _mm512_add_epi32(pairs, _mm512_cvtepu16_epi32(_mm256_add_epi16(
                                            _mm256_maskz_loadu_epi16(lanes, two),
                                            _mm256_maskz_loadu_epi16(lanes, two + apart))));
    }
    for (; t + 1 < taps; t++)
        sum = _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(lanes, columns + t * apart));
    sum = _mm512_add_epi32(sum, pairs);
    int32_t shifted[32] = {0};
    _mm512_storeu_si512(shifted + 16 - apart, sum);
    return _mm512_loadu_si512(shifted);
}

/* The low bytes of the lanes of four vectors, in order. */
static inline __m512i running_bytes(const __m512i *v)
{
    const __m512i turn =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m512i all = _mm512_slli_epi32(v[3], 24);
    all = _mm512_ternarylogic_epi32(all, _mm512_slli_epi32(v[2], 16), _mm512_set1_epi32(0xff0000),
                                    0xf8);
    all =
        _mm512_ternarylogic_epi32(all, _mm512_slli_epi32(v[1], 8), _mm512_set1_epi32(0xff00), 0xf8);
    all = _mm512_ternarylogic_epi32(all, v[0], _mm512_set1_epi32(0xff), 0xf8);
    return order_quads(_mm512_shuffle_epi8(all, turn));
}

static inline ALWAYS_INLINE void running_loop(const struct kernel_args *args, int steps,
                                              bool floats)
{
    const int64_t apart = args->apart, count = args->count;
    const int16_t *columns = args->source[0], *entering = columns + (args->tap_count - 1) * apart;
    const int16_t *leaving = columns - apart; /* zeros at first: no sample leaves the first sums */
    const struct running r = running_set(apart, args->mean.divisor, args->mean.reciprocal);
    const __m512i low = _mm512_set1_epi8((char)(int)args->low);
    const __m512i high = _mm512_set1_epi8((char)(int)args->high);
    __m512i sum = running_first(columns, args->tap_count, apart), means[4];
    for (int64_t i = 0; i < count; i += 64) {
        if (args->ahead)
            prefetch_near((const uint8_t *)args->ahead[0] + i);
        __mmask64 lanes = count - i < 64 ? ((__mmask64)1 << (count - i)) - 1 : ~(__mmask64)0;
        for (int v = 0; v < 4; v += 2) {
            __mmask32 half = (__mmask32)(lanes >> (16 * v));
            __m512i change = running_change(entering + i + 16 * v, leaving + i + 16 * v, half);
            for (int h = 0; h < 2; h++) {
                sum = running_add(&r, steps, sum, running_widen(change, h));
                means[v + h] = running_mean(&r, floats, sum);
            }
        }
        __m512i bytes = running_bytes(means);
        bytes = _mm512_min_epu8(_mm512_max_epu8(bytes, low), high);
        _mm512_mask_storeu_epi8((uint8_t *)args->result + i, lanes, bytes);
    }
}

#define RUNNING_CASE(steps)                                                                        \
    case steps:                                                                                    \
        if (args->mean.divisor < RUNNING_FLOATS)                                                   \
            running_loop(args, steps, true);                                                       \
        else                                                                                       \
            running_loop(args, steps, false);                                                      \
        break

static void running_s16_u8(const struct kernel_args *args)
{
    int steps = 0;
    while (args->apart << steps < 16)
        steps++;
    switch (steps) {
        RUNNING_CASE(0);
        RUNNING_CASE(1);
        RUNNING_CASE(2);
        RUNNING_CASE(3);
        RUNNING_CASE(4);
    }
}
