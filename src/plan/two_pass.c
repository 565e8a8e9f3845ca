/* gaussian: columns, then rows, as the contract defines it. */
#include "plan/passes.h"

#include <math.h>

static bool applies(const struct op *op)
{
    return op->rule == STAGE_TWO_PASS;
}

static double cost(const struct op *op)
{
    return (double)op->tap_count;
}

/* Sum and middle type of the two passes, by input type. */
struct pass_types {
    enum kernel_sum down, across;
    const char *middle;
    int32_t middle_size;
};

static struct pass_types choose_types(const struct op *op, bool exact)
{
    if (!op->integer) {
        enum kernel_sum sum = exact ? KERNEL_FLOAT : KERNEL_FAST;
        return (struct pass_types){sum, sum, "f32", sizeof(float)};
    }
    if (op->in == SWATHE_U8)
        return (struct pass_types){KERNEL_PAIR, KERNEL_PAIR, "s16", sizeof(int16_t)};
    return (struct pass_types){KERNEL_RAW, KERNEL_WIDE, "f64", sizeof(double)};
}

static void set_ends(const struct op *op, struct passes *passes)
{
    algorithm_finish(op, &op->down, &passes->down_end);
    passes->down_end.bias = 0.0f;
    passes->down_end.low = op->integer ? INT16_MIN : -INFINITY;
    passes->down_end.high = op->integer ? INT16_MAX : INFINITY;
    passes->down_end.taps = passes->down.taps;
    passes->down_end.tap_count = passes->down.count;
    algorithm_finish(op, &op->across, &passes->across_end);
    passes->across_end.taps = passes->across.taps;
    passes->across_end.tap_count = passes->across.count;
    if (!op->integer && !sample_is_float(op->out)) {
        passes->across_end.low = -INFINITY; /* the conversion clamps */
        passes->across_end.high = INFINITY;
    }
}

static swathe_status make(struct arena *arena, const struct op *op, int isa, bool exact,
                          struct plan_stage *stage)
{
    struct passes *passes;
    struct pass_types types = choose_types(op, exact);
    const char *in = sample_row(stage->row_type)->name;
    TRY(arena_new(arena, 1, sizeof *passes, "a plan", &passes));
    TRY(algorithm_pack(arena, op, &op->down, types.down, &passes->down));
    TRY(algorithm_pack(arena, op, &op->across, types.across, &passes->across));
    passes->middle_size = types.middle_size;
    passes->down_kernel = algorithm_find(types.down, in, types.middle, isa, stage);
    passes->across_kernel = algorithm_find(
        types.across, types.middle, op->integer ? sample_row(op->out)->name : "f32", isa, stage);
    set_ends(op, passes);
    stage->prepared = passes;
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_two_pass = {applies, cost, make, passes_scratch, passes_run};
