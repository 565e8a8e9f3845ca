#include "gpu/stages/stage_options.h"

#include <math.h>

enum { ARRANGE_BLOCK = 16 };

/* Creates an op that copies samples: it has no halo, no taps and no clamping limits. */
static swathe_status copying_op(struct arena *arena, const struct op *op, swathe_type type,
                                int32_t channels, const struct op **copying)
{
    struct op *made;
    TRY(arena_new(arena, 1, sizeof *made, "a GPU program", &made));
    *made = (struct op){.text = op->text,
                        .rule = STAGE_DENSE,
                        .integer = !sample_is_float(type),
                        .real = type == SWATHE_F64 ? SWATHE_F64 : SWATHE_F32,
                        .in = type,
                        .out = type,
                        .channels = channels,
                        .out_channels = channels,
                        .copied = -1,
                        .low = -INFINITY,
                        .high = INFINITY,
                        .dilate_x = 1,
                        .dilate_y = 1};
    *copying = made;
    return SWATHE_OK;
}

static swathe_status arrange_stage_set_options(struct arena *arena, enum gpu_arranging what,
                                               struct gpu_stage *stage)
{
    TRY(stage_describe(arena, stage));
    TRY(stage_option(arena, stage, "FROM_PLANES", what != GPU_ARRANGE_SPLIT));
    TRY(stage_option(arena, stage, "TO_PLANES", what != GPU_ARRANGE_JOIN));
    if (what == GPU_ARRANGE_PAD)
        TRY(stage_option(arena, stage, "PADS", 1));
    TRY(stage_kernel(arena, stage, "arrange"));
    TRY(stage_option(arena, stage, "GROUP_X", ARRANGE_BLOCK));
    return stage_option(arena, stage, "GROUP_Y", ARRANGE_BLOCK);
}

swathe_status gpu_stage_arrange(struct arena *arena, const struct op *op,
                                const struct gpu_strategy *strategy, enum gpu_arranging what,
                                struct gpu_stage *stage)
{
    /* channels in one buffer */
    int32_t channels = gpu_strategy_is_apart(strategy) ? 1 : op->channels;
    struct gpu_stage made = {.strategy = strategy,
                             .planar = what == GPU_ARRANGE_PAD,
                             .has_tables = what == GPU_ARRANGE_PAD,
                             .group = {ARRANGE_BLOCK, ARRANGE_BLOCK, 1},
                             .tile = {ARRANGE_BLOCK, ARRANGE_BLOCK, channels},
                             .work = 1.0};
    TRY(copying_op(arena, op, what == GPU_ARRANGE_JOIN ? op->out : op->in, channels, &made.op));
    stage_fill(made.op, op->border.value, &made.task);
    TRY(arrange_stage_set_options(arena, what, &made));
    *stage = made;
    return SWATHE_OK;
}
