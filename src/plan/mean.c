/* box on integers: column sums, row sums of those, one division. */
#include "plan/passes.h"

static bool applies(const struct op *op)
{
    return op->rule == STAGE_MEAN;
}

static double cost(const struct op *op)
{
    return (double)op->tap_count;
}

/* A line of ones. */
static swathe_status pack_ones(struct arena *arena, const struct op *op, bool vertical,
                               struct packed_taps *packed)
{
    const struct op_taps *size = &op->masks[0];
    struct op_taps ones = {.width = vertical ? 1 : size->width,
                           .height = vertical ? size->height : 1,
                           .anchor_x = vertical ? 0 : size->anchor_x,
                           .anchor_y = vertical ? size->anchor_y : 0};
    int64_t count = (int64_t)ones.width * ones.height;
    TRY(arena_new(arena, count, sizeof *ones.w, "taps", &ones.w));
    for (int64_t i = 0; i < count; i++)
        ones.w[i] = 1;
    return algorithm_pack(arena, op, &ones, KERNEL_RAW, packed);
}

static swathe_status make(struct arena *arena, const struct op *op, int isa, bool exact,
                          struct plan_stage *stage)
{
    struct passes *passes;
    (void)exact;
    TRY(arena_new(arena, 1, sizeof *passes, "a plan", &passes));
    TRY(pack_ones(arena, op, true, &passes->down));
    TRY(pack_ones(arena, op, false, &passes->across));
    passes->middle_size = sizeof(double);
    passes->down_kernel = algorithm_find(KERNEL_RAW, sample_row(op->in)->name, "f64", isa, stage);
    passes->across_kernel =
        algorithm_find(KERNEL_MEAN, "f64", sample_row(op->out)->name, isa, stage);
    passes->down_end.taps = passes->down.taps;
    passes->down_end.tap_count = passes->down.count;
    passes->across_end.taps = passes->across.taps;
    passes->across_end.tap_count = passes->across.count;
    /* floor((2(S + add) + n) / 2n) = floor((S + add + n/2) / n); 2^22 taps × 2^16 < 2^53 */
    passes->across_end.add_wide = (double)op->mean_add + 0.5 * (double)op->mean_count;
    passes->across_end.divisor = (double)op->mean_count;
    passes->across_end.low = op->low;
    passes->across_end.high = op->high;
    stage->prepared = passes;
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_mean = {applies, cost, make, passes_scratch, passes_run};
