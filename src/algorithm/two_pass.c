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

/* Number of low bits that are zero in every tap. */
static int32_t zero_bits(const struct op_taps *taps)
{
    struct op_taps all = *taps;
    all.shift = 30;
    return algorithm_common_bits(&all);
}

/* Sum of the taps; −1 if one is negative or exceeds 16 bits. */
static int64_t two_pass_sum_taps(const struct op_taps *taps)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
        if (taps->w[i] < 0 || taps->w[i] > INT16_MAX)
            return -1;
        sum += taps->w[i];
    }
    return sum;
}

/* Are the taps 1 2 1 or 1 4 6 4 1, times a power of two? */
static bool is_binomial(const struct op_taps *taps)
{
    static const int32_t three[] = {1, 2, 1}, five[] = {1, 4, 6, 4, 1};
    int32_t count = taps->width * taps->height, bits = zero_bits(taps);
    for (int32_t i = 0; i < count; i++)
        if ((count != 3 && count != 5) || taps->w[i] >> bits != (count == 3 ? three : five)[i])
            return false;
    return true;
}

/* Binomial filters on u8: if pass 1 does not round, both passes can be computed without the powers
 * of two in their taps, and then all sums fit 16 bits. */
static bool set_short(const struct op *op, struct kernel_args *args)
{
    const struct op_taps *down = &op->terms->down, *across = &op->terms->across;
    int32_t kept = zero_bits(down) - down->shift; /* fraction bits that pass 1 leaves to pass 2 */
    int32_t less = kept + zero_bits(across), shift = across->shift - less;
    if (!is_binomial(down) || !is_binomial(across) || kept < 0 || across->add < 0 || shift < 1 ||
        shift > 8)
        return false;
    args->add = across->add >> less;
    args->mean.reciprocal = (struct reciprocal){(uint64_t)65536 >> shift, 0};
    int64_t all = (int64_t)1 << (down->height + across->width - 2);
    int64_t most = UINT8_MAX * all + args->add;
    return most <= UINT16_MAX && most >> shift <= UINT8_MAX;
}

/* Half of the taps without zeros at the ends, if they are symmetric about the anchor; otherwise −1.
 */
static int32_t half_of(const struct op_taps *taps)
{
    int32_t count = taps->width * taps->height, half = count / 2;
    if (count % 2 == 0 || taps->anchor_x + taps->anchor_y != half)
        return -1;
    for (int32_t i = 0; i < half; i++)
        if (taps->w[i] != taps->w[count - 1 - i])
            return -1;
    while (half > 0 && taps->w[count / 2 - half] == 0)
        half--;
    return half;
}

/* The values between the passes have at most 15 bits. Minus half of their range, the sum of two is
 * 16 bits, so that samples of equal taps can be added before they are multiplied. What the second
 * pass adds is added between the passes, too, and whole units to the results. */
static bool set_folded(const struct op *op, struct kernel_args *args)
{
    enum { MIDDLE = 1 << 14, BITS = KERNEL_FOLD_ACROSS_BITS };
    const struct op_taps *down = &op->terms->down, *across = &op->terms->across;
    int64_t sum = two_pass_sum_taps(across), most = two_pass_sum_taps(down) * UINT8_MAX + down->add;
    if (sum <= 0 || most < 0 || down->shift != KERNEL_FOLD_DOWN_BITS || across->shift != BITS)
        return false;
    int64_t all = MIDDLE * sum + across->add, offset = all >> BITS;
    int64_t rest = all - offset * ((int64_t)1 << BITS), more = rest / sum - MIDDLE;
    args->add = down->add + more * (1 << KERNEL_FOLD_DOWN_BITS);
    args->rows.offset = (int32_t)offset;
    return rest % sum == 0 && more >= -MIDDLE && (most >> down->shift) + more < MIDDLE &&
           args->add % KERNEL_FOLD_UNIT == 0 && args->add / KERNEL_FOLD_UNIT <= INT16_MAX &&
           llabs(offset) < MIDDLE;
}

static swathe_status make_bytes(struct arena *arena, const struct op *op, bool folded,
                                const struct kernel_args *args, int isa, struct plan_stage *stage)
{
    struct passes *passes = stage->prepared;
    const struct op_taps *down = &op->terms->down, *across = &op->terms->across;
    int32_t above = down->height / 2, left = across->width / 2, *taps;
    enum kernel_id id = folded ? KERNEL_folded_passes_u8_u8 : KERNEL_short_passes_u8_u8;
    if (folded) {
        above = half_of(down);
        left = half_of(across);
    }
    TRY(arena_new(arena, 1, sizeof *passes->bytes, "a plan", &passes->bytes));
    TRY(arena_new(arena, above + left + 2, sizeof *taps, "taps", &taps));
    passes->bytes->args = *args;
    passes->bytes->args.taps = taps;
    byte_passes_make(op, id, op->above - above, 2 * above + 1, op->left - left * op->dilate_x,
                     2 * left + 1, isa, stage, passes->bytes);
    if (folded) {
        taps += kernel_fold(down->w + down->height / 2 - above, above, (int32_t)args->add, taps);
        kernel_fold(across->w + across->width / 2 - left, left, 0, taps);
    }
    return SWATHE_OK;
}

static swathe_status make_integers(struct arena *arena, const struct op *op, int isa,
                                   struct plan_stage *stage)
{
    const struct pass_types types = {KERNEL_PAIR, KERNEL_PAIR, "s16", sizeof(int16_t)};
    const struct op_taps *down = &op->terms->down, *across = &op->terms->across;
    struct kernel_args args = {0};
    bool suits = half_of(down) >= 0 && half_of(across) >= 0 &&
                 byte_passes_suit(op, down->height, across->width);
    bool is_short = suits && set_short(op, &args);
    if (is_short || (suits && set_folded(op, &args))) {
        stage->chunk = algorithm_chunk(op);
        return make_bytes(arena, op, !is_short, &args, isa, stage);
    }
    return passes_make(arena, &types, down, across, isa, stage, stage->prepared);
}

static swathe_status two_pass_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                   struct plan_stage *stage)
{
    struct passes *passes;
    enum kernel_sum sum = exact ? KERNEL_FLOAT : KERNEL_FAST;
    TRY(arena_new(arena, op->term_count, sizeof *passes, "a plan", &passes));
    stage->prepared = passes;
    if (op->integer)
        return make_integers(arena, op, isa, stage);
    const struct pass_types types = {sum, sum, sample_entry(op->real)->name, sample_size(op->real)};
    for (int32_t t = 0; t < op->term_count; t++)
        TRY(passes_make(arena, &types, &op->terms[t].down, &op->terms[t].across, isa, stage,
                        &passes[t]));
    for (int32_t t = 1; t < op->term_count; t++)
        TRY(passes_continue(arena, op, &passes[t - 1], &passes[t]));
    return passes_fuse(arena, sum, op->terms, isa, stage, passes);
}

const struct algorithm_calls algorithm_two_pass = {.applies = two_pass_applies,
                                                   .work = two_pass_work,
                                                   .make = two_pass_make,
                                                   .scratch_bytes = passes_scratch_bytes,
                                                   .run = passes_run};
