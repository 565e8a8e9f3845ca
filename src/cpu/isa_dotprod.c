/* 64-bit Arm with dot products of bytes: four products are added to a 32-bit sum at a time. 16-bit
 * taps are split into two digits, tap = 256·high + low, high signed and low unsigned. These are the
 * bytes of the tap in memory. Sums wrap at 2^32; the sum of both digits fits.
 *
 * Only kernels that gain by it are here. It takes time to interleave the samples of four taps,
 * which several output rows share; other kernels, and sums in 16 bits, are those of NEON. */
#include "cpu/c_types.h"
#include "cpu/kernel.h"

#include "cpu/vec_neon.h"

#include <stdbool.h>

enum { HEIGHT = 4, LANES = PAIR_LANES };

#define INLINE static inline __attribute__((always_inline))

extern kernel *const isa_kernels_neon[KERNEL_COUNT];

/* The sums of LANES results of a row. */
typedef struct {
    uint32x4_t low[2];
    int32x4_t high[2];
} digit_sums;

/* The taps of kernel.h are a list of entries: entry m·column_count + c has two taps for an even and
 * two for an odd row of results, for the samples of source rows 2m and 2m + 1 at column c. Output
 * rows 0 and 1 start with entry 0, output rows 2 and 3 do so at the entry of source row 2. */
struct place {
    const struct kernel_args *args;
    int64_t i;    /* the first result */
    int64_t m, c; /* the next entry */
};

/* Loads the samples of the next entry: a byte of both rows for each result. */
INLINE uint16x8_t load_entry(struct place *at)
{
    const uint8_t *const *source = (const uint8_t *const *)at->args->source;
    int64_t x = at->args->mask.columns[at->c] + at->i;
    uint8x8_t upper = vld1_u8(source[2 * at->m] + x), lower = vld1_u8(source[2 * at->m + 1] + x);
    int64_t last = ++at->c == at->args->mask.column_count;
    at->m += last;
    at->c &= last - 1; /* 0 after the last: no branch */
    uint8x8_t none = vdup_n_u8(0);
    return vreinterpretq_u16_u8(vzip1q_u8(vcombine_u8(upper, none), vcombine_u8(lower, none)));
}

/* The taps of two entries (or one and zeros) for two output rows. */
INLINE uint8x16_t load_taps(const int32_t *taps, bool two)
{
    const int32x2x2_t none = {{{0}, {0}}};
    int32x2x2_t both = two ? vld2_s32(taps) : vld2_lane_s32(taps, none, 0);
    return vreinterpretq_u8_s32(vcombine_s32(both.val[0], both.val[1]));
}

#define DOT_ROW(y)                                                                                 \
    for (int h = 0; h < 2 && (y) >= first && (y) < end; h++) {                                     \
        sums[y].low[h] = vdotq_laneq_u32(sums[y].low[h], samples[h], low, y);                      \
        sums[y].high[h] = vdotq_laneq_s32(sums[y].high[h], centred[h], high, y);                   \
    }

/* Adds the next entry, or two, to the sums of output rows first … end - 1. `taps` are its taps for
 * rows 0 and 1; those of rows 2 and 3 are `back` entries before them. */
INLINE void add_entries(digit_sums sums[HEIGHT], struct place *at, const int32_t *taps,
                        int64_t back, bool two, int first, int end)
{
    uint16x8_t a = load_entry(at), b = two ? load_entry(at) : a;
    uint8x16_t samples[2] = {vreinterpretq_u8_u16(vzip1q_u16(a, b)),
                             vreinterpretq_u8_u16(vzip2q_u16(a, b))};
    int8x16_t centred[2]; /* samples minus 128 */
    for (int h = 0; h < 2; h++)
        centred[h] = vreinterpretq_s8_u8(veorq_u8(samples[h], vdupq_n_u8(0x80)));
    uint8x16_t upper = first < 2 ? load_taps(taps, two) : vdupq_n_u8(0);
    uint8x16_t lower = end > 2 ? load_taps(taps - 2 * back, two) : vdupq_n_u8(0);
    uint8x16_t low = vuzp1q_u8(upper, lower); /* four taps for each output row */
    int8x16_t high = vreinterpretq_s8_u8(vuzp2q_u8(upper, lower));
    DOT_ROW(0)
    DOT_ROW(1)
    DOT_ROW(2)
    DOT_ROW(3)
}

/* Adds entries from … to - 1. */
INLINE void add_range(digit_sums sums[HEIGHT], struct place *at, int64_t from, int64_t to,
                      int first, int end)
{
    const int64_t columns = at->args->mask.column_count;
    const int32_t *taps = at->args->taps;
    int64_t e = from;
    for (; e + 2 <= to; e += 2)
        add_entries(sums, at, taps + 2 * e, columns, true, first, end);
    if (e < to)
        add_entries(sums, at, taps + 2 * e, columns, false, first, end);
}

/* Returns 128·Σhigh, which the signed digits lack because of their samples minus 128. */
static int32_t centre_of(const struct kernel_args *args)
{
    const int32_t *taps = args->taps; /* those for even rows: the odd ones have the same */
    int64_t count = 2 * kernel_multirow_pairs(args->rows.mask_rows) * args->mask.column_count;
    int32_t sum = 0;
    for (int64_t t = 0; t < count; t += 2)
        sum += (int8_t)(uint8_t)((uint32_t)taps[t] >> 8) + (taps[t] >> 24);
    return 128 * sum;
}

INLINE pair_acc join_digits(const digit_sums *sums)
{
    int32x4_t low[2];
    for (int h = 0; h < 2; h++)
        low[h] = vaddq_s32(vreinterpretq_s32_u32(sums->low[h]), vshlq_n_s32(sums->high[h], 8));
    return (pair_acc){low[0], low[1]};
}

/* Computes the sums of LANES results of each row, from result i on. */
INLINE void add_all(digit_sums sums[HEIGHT], const struct kernel_args *args, int64_t i,
                    int32_t centre)
{
    int64_t columns = args->mask.column_count;
    int64_t end = kernel_multirow_pairs(args->rows.mask_rows) * columns;
    struct place at = {args, i, 0, 0};
    for (int y = 0; y < HEIGHT; y++)
        for (int h = 0; h < 2; h++) {
            sums[y].low[h] = vdupq_n_u32((uint32_t)args->add);
            sums[y].high[h] = vdupq_n_s32(centre);
        }
    add_range(sums, &at, 0, columns, 0, 2);
    add_range(sums, &at, columns, end, 0, 4);
    add_range(sums, &at, end, end + columns, 2, 4);
}

#define DEFINE(id, type)                                                                           \
    static void rows_of_##id(const struct kernel_args *args)                                       \
    {                                                                                              \
        int32_t low = (int32_t)args->low, high = (int32_t)args->high, centre = centre_of(args);    \
        for (int64_t next = 0; next < args->count; next += LANES) {                                \
            int64_t i = next + LANES <= args->count ? next : args->count - LANES;                  \
            digit_sums sums[HEIGHT];                                                               \
            add_all(sums, args, i, centre);                                                        \
            for (int y = 0; y < HEIGHT; y++)                                                       \
                if (y < args->rows.height)                                                         \
                    pair_store_##type(join_digits(&sums[y]), args->shift, low, high,               \
                                      (SAMPLE_##type *)args->rows.results[y] + i);                 \
        }                                                                                          \
    }                                                                                              \
    static void id(const struct kernel_args *args)                                                 \
    {                                                                                              \
        struct kernel_args part = *args;                                                           \
        if (args->count < LANES)                                                                   \
            isa_kernels_neon[KERNEL_##id](args);                                                   \
        for (; args->count >= LANES && part.rows.height > 0; part.rows.height -= HEIGHT) {         \
            rows_of_##id(&part);                                                                   \
            part.source += HEIGHT;                                                                 \
            part.rows.results += HEIGHT;                                                           \
        }                                                                                          \
    }
DEFINE(pair_multirow_u8_u8, u8)
DEFINE(pair_multirow_u8_u16, u16)
DEFINE(pair_multirow_u8_s16, s16)

extern const int isa_rows_dotprod[KERNEL_HEIGHTS];
const int isa_rows_dotprod[KERNEL_HEIGHTS] = {0}; /* it has no such kernels */

extern kernel *const isa_kernels_dotprod[KERNEL_COUNT];
kernel *const isa_kernels_dotprod[KERNEL_COUNT] = {
    [KERNEL_pair_multirow_u8_u8] = pair_multirow_u8_u8,
    [KERNEL_pair_multirow_u8_u16] = pair_multirow_u8_u16,
    [KERNEL_pair_multirow_u8_s16] = pair_multirow_u8_s16,
};
