/* Bodies of the kernels that apply both passes of a filter to u8. The first pass computes eight
 * rows of 16-bit samples at a time, from source rows that are loaded once for all of them; strips
 * of a few hundred samples of these rows stay in the first-level cache until the second pass has
 * read them. Even and odd samples are apart from the source to the result: widening and joining
 * bytes takes no shuffles then. */

enum {
    BYTE_BLOCK = 2 * PAIR_LANES,     /* a vector of even and a vector of odd samples */
    BYTE_ODD = KERNEL_BYTE_PITCH / 2 /* where the odd samples of a row start */
};
_Static_assert((int)BYTE_BLOCK <= (int)KERNEL_BYTE_BLOCK, "rows of fewer samples are copied");

/* A pass. Kernels copy it, so that stores cannot change it. */
struct byte_pass {
    int64_t size, apart;                        /* taps, and samples from one to the next */
    int32_t add;                                /* to sums */
    int32_t taps[KERNEL_BYTE_TAPS / 4 + 1];     /* FOLDED … */
    int32_t pairs[2][KERNEL_BYTE_TAPS / 2 + 1]; /* … first pass, of even and of odd rows */
    uint16_t multiplier;                        /* SHORT, second pass … */
    int32_t shift;
    int32_t offset, low, high; /* of results */
};
typedef void byte_down(const struct kernel_args *args, const struct byte_pass *given, int64_t from,
                       int64_t made, int64_t samples);
typedef void byte_across(const struct byte_pass *given, const int16_t *row, int64_t count,
                         uint8_t *to);

/* Computes samples `made` to `samples` - 1 of all rows between the passes, which start at sample
 * `from` of the source: `block` the even or odd ones of a block. The last block may start at an odd
 * sample of the row, so that its even samples are odd ones there. */
#define DEFINE_BYTE_DOWN(name, block, ...)                                                         \
    static void name(const struct kernel_args *args, const struct byte_pass *given, int64_t from,  \
                     int64_t made, int64_t samples)                                                \
    {                                                                                              \
        const uint8_t *const *source = (const uint8_t *const *)args->source;                       \
        const struct byte_pass pass = *given;                                                      \
        for (int64_t next = made; next < samples; next += BYTE_BLOCK) {                            \
            int64_t i = place_vector(next, BYTE_BLOCK, samples), at = from + i;                    \
            int16_t *to = (int16_t *)args->rows.scratch + i / 2;                                   \
            PREFETCH_AHEAD(BYTE_BLOCK);                                                            \
            block(&pass, source, at, 0, to + (i % 2 ? BYTE_ODD : 0), __VA_ARGS__);                 \
            block(&pass, source, at, 1, to + (i % 2 ? 1 : BYTE_ODD), __VA_ARGS__);                 \
        }                                                                                          \
    }

/* Computes `count` results from a row between the passes, `block` those of a block. */
#define DEFINE_BYTE_ACROSS(name, block, ...)                                                       \
    static void name(const struct byte_pass *given, const int16_t *row, int64_t count,             \
                     uint8_t *to)                                                                  \
    {                                                                                              \
        const struct byte_pass pass = *given;                                                      \
        uint8_t part[BYTE_BLOCK];                                                                  \
        for (; count > 0; count -= BYTE_BLOCK, row += BYTE_BLOCK / 2, to += BYTE_BLOCK) {          \
            uint8_t *at = count >= BYTE_BLOCK ? to : part;                                         \
            prefetch_result(to, BYTE_BLOCK);                                                       \
            block(&pass, row, at, __VA_ARGS__);                                                    \
        }                                                                                          \
        if (count < 0)                                                                             \
            memcpy(to - BYTE_BLOCK, part, (size_t)(count + BYTE_BLOCK));                           \
    }

/* Defines a second pass for three channels in pixels, and for other distances between taps. */
#define DEFINE_BYTE_APARTS(name, block, ...)                                                       \
    DEFINE_BYTE_ACROSS(name##_three, block, __VA_ARGS__, 3, true)                                  \
    DEFINE_BYTE_ACROSS(name##_odd, block, __VA_ARGS__, pass.apart, true)                           \
    DEFINE_BYTE_ACROSS(name##_even, block, __VA_ARGS__, pass.apart, false)                         \
    static inline byte_across *name(int64_t apart)                                                 \
    {                                                                                              \
        return apart == 3 ? name##_three : apart % 2 == 1 ? name##_odd : name##_even;              \
    }

/* Of tap t, the samples for every second result of a block. `odd`: is `apart`? Taps 0, 2 … are
 * `apart` from each other in one plane of a row, and so are taps 1, 3 …. */
static inline ALWAYS_INLINE const int16_t *byte_start(const int16_t *row, const int64_t t,
                                                      const int parity, const int64_t apart,
                                                      const bool odd)
{
    const int64_t plane = (parity + (odd ? t : 0)) % 2;
    return row + (plane ? BYTE_ODD : 0) + (parity + t * apart - plane) / 2;
}
#define BYTE_STARTS                                                                                \
    const int16_t *const start_0 = byte_start(row, 0, parity, apart, odd);                         \
    const int16_t *const start_1 = byte_start(row, 1, parity, apart, odd);
/* The samples of tap 2·pair + second. */
#define BYTE_TAP(pair, second) vs_load_s16(start_##second + (pair)*apart)

/* Moves the samples of all rows that the next strip needs, too, to their start, as whole blocks,
 * and returns their number. */
static inline int64_t byte_carry(int16_t *middle, int64_t strip, int64_t halo)
{
    const int64_t kept = halo / BYTE_BLOCK * BYTE_BLOCK;
    for (int half = 0; kept > 0 && half < 2 * KERNEL_BYTE_ROWS; half++, middle += BYTE_ODD)
        memmove(middle, middle + strip / 2, (size_t)kept / 2 * sizeof *middle);
    return kept;
}

static inline void byte_strips(const struct kernel_args *args, byte_down *down,
                               const struct byte_pass *first, byte_across *across,
                               const struct byte_pass *second)
{
    const int64_t halo = (args->tap_count - 1) * args->apart, count = args->count;
    const int64_t strips = (count + KERNEL_BYTE_STRIP - 1) / KERNEL_BYTE_STRIP;
    const int64_t strip = ((count + strips - 1) / strips + 63) / 64 * 64;
    for (int64_t next = 0; next < count; next += strip) {
        int64_t at = next > 0 && count - next < BYTE_BLOCK ? count - BYTE_BLOCK : next;
        int64_t samples = count - at < strip ? count - at : strip;
        int64_t made = at > 0 && at == next ? byte_carry(args->rows.scratch, strip, halo) : 0;
        down(args, first, at, made, samples + halo < BYTE_BLOCK ? BYTE_BLOCK : samples + halo);
        for (int y = 0; y < args->rows.height; y++)
            across(second, (const int16_t *)args->rows.scratch + y * KERNEL_BYTE_PITCH, samples,
                   (uint8_t *)args->rows.results[y] + at);
    }
}

/* Runs both passes. Rows shorter than a block are copied, so that a whole block can be read. */
static inline void byte_run(const struct kernel_args *args, byte_down *down,
                            struct byte_pass *first, byte_across *across, struct byte_pass *second)
{
    const int64_t all = args->count + (args->tap_count - 1) * args->apart;
    const void *rows[KERNEL_BYTE_TAPS + KERNEL_BYTE_ROWS];
    struct kernel_args own = *args;
    uint8_t *copy = (uint8_t *)args->rows.scratch + KERNEL_BYTE_ROWS * KERNEL_BYTE_PITCH * 2;
    first->size = args->rows.mask_rows;
    second->size = args->tap_count;
    second->apart = args->apart;
    second->low = (int32_t)args->low;
    second->high = (int32_t)args->high;
    own.source = rows;
    for (int32_t r = 0; r < args->rows.mask_rows + KERNEL_BYTE_ROWS - 1; r++, copy += BYTE_BLOCK)
        rows[r] = all < BYTE_BLOCK ? memcpy(copy, args->source[r], (size_t)all) : args->source[r];
    byte_strips(&own, down, first, across, second);
}

#include "cpu/folded_passes_body.h"
#if !HAVE_DOT_ADD
#include "cpu/short_passes_body.h"
#endif
