/* gaussian: vertical pass, then horizontal pass, as the contract defines it. */
#include "plan/passes.h"

#include <stdlib.h>

static bool applies(const struct algorithm_case *at)
{
    return at->op->rule == STAGE_TWO_PASS;
}

static double work(const struct algorithm_case *at)
{
    return (double)at->op->tap_count;
}

/* Makes a pass whose taps and final arguments are divided by 2^bits. */
static swathe_status scaled_pass(struct arena *arena, const struct op_taps *from, int32_t tap_bits,
                                 int32_t shift_bits, struct op_taps *to)
{
    int64_t count = (int64_t)from->width * from->height;
    *to = *from;
    TRY(arena_new(arena, count, sizeof *to->w, "taps", &to->w));
    for (int64_t i = 0; i < count; i++)
        to->w[i] = from->w[i] >> tap_bits;
    to->shift -= shift_bits;
    to->add >>= shift_bits;
    return SWATHE_OK;
}

/* Number of low bits that are zero in every tap. */
static int32_t zero_bits(const struct op_taps *taps)
{
    struct op_taps all = *taps;
    all.shift = 30;
    return algorithm_common_bits(&all);
}

/* Sum of the taps divided by 2^bits; −1 if one is negative or exceeds `most`. */
static int64_t sum_taps(const struct op_taps *taps, int32_t bits, int32_t most)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
        int32_t tap = taps->w[i] >> bits;
        if (tap < 0 || tap > most)
            return -1;
        sum += tap;
    }
    return sum;
}

/* True for binomial filters on u8: if pass 1 does not round, both passes can be computed without
 * the powers of two in their taps, and then all sums fit 16 bits. */
static bool fits_short(const struct op *op)
{
    if (!op->integer || op->in != SWATHE_U8 || op->out != SWATHE_U8)
        return false;
    int32_t down = zero_bits(&op->down), across = zero_bits(&op->across);
    int32_t kept = down - op->down.shift; /* fraction bits that pass 1 leaves to pass 2 */
    if (kept < 0 || kept + across > op->across.shift || op->across.add < 0)
        return false;
    int64_t down_sum = sum_taps(&op->down, down, INT8_MAX);
    int64_t across_sum = sum_taps(&op->across, across, INT8_MAX);
    return down_sum > 0 && across_sum > 0 && down_sum * UINT8_MAX <= INT16_MAX &&
           down_sum * UINT8_MAX * across_sum + (op->across.add >> (kept + across)) <= UINT16_MAX;
}

/* The values between the passes of u8 are 15 bits. Minus half of their range, the sum of two is 16
 * bits, so that samples of equal taps can be added before they are multiplied. */
enum { HALF_RANGE = 1 << 14 };

static bool folds(const struct op *op)
{
    const struct op_taps *down = &op->down, *across = &op->across;
    int32_t count = across->width;
    int64_t sum = sum_taps(down, 0, INT16_MAX);
    if (op->out != SWATHE_U8 || sum < 0 || down->add < 0 || count % 2 == 0 ||
        (sum * UINT8_MAX + down->add) >> down->shift >= 2 * HALF_RANGE)
        return false;
    for (int32_t i = 0; i < count; i++)
        if (across->w[i] != across->w[count - 1 - i])
            return false;
    sum = sum_taps(across, 0, INT16_MAX);
    /* The number of taps that are not zero is odd, and not 1. Sums are within 31 bits. */
    return across->w[count / 2] > 0 && sum > across->w[count / 2] &&
           llabs(across->add) + 2 * HALF_RANGE * sum <= INT32_MAX;
}

/* Subtracts half of the range after the first pass, and makes up for it in the second. */
static void offset_middle(struct op_taps *down, struct op_taps *across)
{
    down->add -= (int64_t)HALF_RANGE << down->shift;
    across->add += HALF_RANGE * sum_taps(across, 0, INT16_MAX);
}

static struct pass_types choose_types(const struct op *op, bool exact)
{
    if (!op->integer) {
        enum kernel_sum sum = exact ? KERNEL_FLOAT : KERNEL_FAST;
        return (struct pass_types){sum, sum, sample_entry(op->real)->name, sample_size(op->real)};
    }
    if (fits_short(op))
        return (struct pass_types){KERNEL_NARROW, KERNEL_SHORT, "s16", sizeof(int16_t)};
    if (op->in == SWATHE_U8)
        return (struct pass_types){KERNEL_PAIR, folds(op) ? KERNEL_FOLDED : KERNEL_PAIR, "s16",
                                   sizeof(int16_t)};
    return (struct pass_types){KERNEL_RAW, KERNEL_WIDE, "f64", sizeof(double)};
}

/* Transposing rows costs about as much as a few taps. With fewer than 49, one kernel for both
 * passes is faster if it exists: it leaves the rows between them in the first-level cache. By the
 * contract zero taps are not multiplied, but the kernel would do so. */
static bool suits_across(const struct op *op, bool fused)
{
    enum { LEAST = 13, LEAST_FUSED = 49 };
    _Static_assert((int)LEAST >= (int)KERNEL_ACROSS_TAPS, "the kernel takes no fewer");
    for (int32_t i = 0; i < op->across.width; i++)
        if (op_tap_is_zero(&op->across, i))
            return false;
    return op->across.width >= (fused ? LEAST_FUSED : LEAST);
}

static swathe_status make(struct arena *arena, const struct op *op, int isa, bool exact,
                          struct plan_stage *stage)
{
    struct passes *passes;
    struct pass_types types = choose_types(op, exact);
    TRY(arena_new(arena, 1, sizeof *passes, "a plan", &passes));
    struct op_taps down = op->down, across = op->across;
    if (types.down == KERNEL_NARROW) {
        int32_t bits = zero_bits(&op->down);
        TRY(scaled_pass(arena, &op->down, bits, op->down.shift, &down));
        TRY(scaled_pass(arena, &op->across, 0, bits - op->down.shift, &across));
    }
    if (types.across == KERNEL_FOLDED)
        offset_middle(&down, &across);
    stage->prepared = passes;
    TRY(passes_make(arena, &types, &down, &across, isa, stage, passes));
    TRY(passes_fuse(arena, types.down, isa, stage, passes));
    if (op->integer || op->real != SWATHE_F32 || stage->to_result ||
        !suits_across(op, passes->both != NULL))
        return SWATHE_OK;
    int used;
    passes->across_rows = kernel_find(isa, KERNEL_across_f32_f32, &used);
    if (passes->across_rows) {
        passes->both = NULL;
        stage->group = PASSES_GROUP;
    }
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_two_pass = {.applies = applies,
                                                   .work = work,
                                                   .make = make,
                                                   .scratch_bytes = passes_scratch_bytes,
                                                   .run = passes_run};
