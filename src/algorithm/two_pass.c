/* gaussian and sums of such products (unsharp, log, dog): vertical passes, then horizontal passes,
 * as the contract defines them. */
#include "algorithm/passes.h"

#include <stdlib.h>

static bool two_pass_applies(const struct algorithm_case *at)
{
    return at->op->rule == STAGE_TWO_PASS;
}

static double two_pass_work(const struct algorithm_case *at)
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
static int64_t two_pass_sum_taps(const struct op_taps *taps, int32_t bits, int32_t most)
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
static bool two_pass_fits_short(const struct op *op)
{
    if (op->out != SWATHE_U8)
        return false;
    const struct op_taps *first = &op->terms->down, *second = &op->terms->across;
    int32_t down = zero_bits(first), across = zero_bits(second);
    int32_t kept = down - first->shift; /* fraction bits that pass 1 leaves to pass 2 */
    if (kept < 0 || kept + across > second->shift || second->add < 0)
        return false;
    int64_t down_sum = two_pass_sum_taps(first, down, INT8_MAX);
    int64_t across_sum = two_pass_sum_taps(second, across, INT8_MAX);
    return down_sum > 0 && across_sum > 0 && down_sum * UINT8_MAX <= INT16_MAX &&
           down_sum * UINT8_MAX * across_sum + (second->add >> (kept + across)) <= UINT16_MAX;
}

/* Half of the range of the values between the passes of u8, which have at most 15 bits. Minus that,
 * the sum of two is 16 bits, so that samples of equal taps can be added before they are
 * multiplied. */
static int64_t half_range(const struct op_taps *down)
{
    return (int64_t)1 << (7 + down->q - down->shift);
}

static bool two_pass_folds(const struct op *op)
{
    const struct op_taps *down = &op->terms->down, *across = &op->terms->across;
    int32_t count = across->width;
    int64_t sum = two_pass_sum_taps(down, 0, INT16_MAX);
    if (op->out != SWATHE_U8 || sum < 0 || down->add < 0 || count % 2 == 0)
        return false;
    int64_t most = (sum * UINT8_MAX + down->add) >> down->shift;
    for (int32_t i = 0; i < count; i++)
        if (across->w[i] != across->w[count - 1 - i])
            return false;
    sum = two_pass_sum_taps(across, 0, INT16_MAX);
    /* The number of taps that are not zero is odd, and not 1. Sums are within 31 bits. */
    return most < 2 * half_range(down) && across->w[count / 2] > 0 && sum > across->w[count / 2] &&
           llabs(across->add) + most * sum <= INT32_MAX;
}

/* Subtracts half of the range after the first pass, and makes up for it in the second. */
static void offset_middle(struct op_taps *down, struct op_taps *across)
{
    across->add += half_range(down) * two_pass_sum_taps(across, 0, INT16_MAX);
    down->add -= half_range(down) << down->shift;
}

static struct pass_types choose_types(const struct op *op, bool exact)
{
    if (!op->integer) {
        enum kernel_sum sum = exact ? KERNEL_FLOAT : KERNEL_FAST;
        return (struct pass_types){sum, sum, sample_entry(op->real)->name, sample_size(op->real)};
    }
    if (two_pass_fits_short(op))
        return (struct pass_types){KERNEL_NARROW, KERNEL_SHORT, "s16", sizeof(int16_t)};
    return (struct pass_types){KERNEL_PAIR, two_pass_folds(op) ? KERNEL_FOLDED : KERNEL_PAIR, "s16",
                               sizeof(int16_t)};
}

static swathe_status make_integers(struct arena *arena, const struct op *op, int isa,
                                   struct plan_stage *stage)
{
    struct pass_types types = choose_types(op, true);
    struct op_taps down = op->terms->down, across = op->terms->across;
    if (types.down == KERNEL_NARROW) {
        int32_t bits = zero_bits(&down);
        TRY(scaled_pass(arena, &op->terms->down, bits, op->terms->down.shift, &down));
        TRY(scaled_pass(arena, &op->terms->across, 0, bits - op->terms->down.shift, &across));
    }
    if (types.across == KERNEL_FOLDED)
        offset_middle(&down, &across);
    return passes_make(arena, &types, &down, &across, isa, stage, stage->prepared);
}

static swathe_status two_pass_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                   struct plan_stage *stage)
{
    struct passes *passes;
    struct pass_types types = choose_types(op, exact);
    TRY(arena_new(arena, op->term_count, sizeof *passes, "a plan", &passes));
    stage->prepared = passes;
    if (op->integer)
        return make_integers(arena, op, isa, stage);
    for (int32_t t = 0; t < op->term_count; t++)
        TRY(passes_make(arena, &types, &op->terms[t].down, &op->terms[t].across, isa, stage,
                        &passes[t]));
    for (int32_t t = 1; t < op->term_count; t++)
        TRY(passes_continue(arena, op, &passes[t - 1], &passes[t]));
    return passes_fuse(arena, types.down, isa, stage, passes);
}

const struct algorithm_calls algorithm_two_pass = {.applies = two_pass_applies,
                                                   .work = two_pass_work,
                                                   .make = two_pass_make,
                                                   .scratch_bytes = passes_scratch_bytes,
                                                   .run = passes_run};
