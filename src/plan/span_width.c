#include "base/checked.h"
#include "base/cpu.h"
#include "plan/plan.h"

/* Bytes of all ring buffers and of what tasks keep, for one column of output. */
static int64_t column_bytes(const struct plan *plan)
{
    enum { COLUMNS = 1024 };
    int64_t bytes = 0;
    for (int32_t i = 0; i < plan->count; i++) {
        const struct plan_stage *stage = &plan->stages[i];
        const struct algorithm_calls *calls = stage->algorithm->calls;
        int32_t channels = plan->ops[i].channels;
        bytes += plan_ring_rows(plan, i) * channels * sample_size(stage->row_type);
        if (calls->kept_bytes)
            bytes += calls->kept_bytes(stage, COLUMNS * channels, channels) / COLUMNS;
    }
    return bytes;
}

void plan_choose_span(struct plan *plan)
{
    int64_t halo = 0, bytes = column_bytes(plan);
    for (int32_t i = 0; i < plan->count; i++)
        halo += (int64_t)plan->ops[i].left + plan->ops[i].right;
    int64_t columns = cpu_cache_bytes() / 2 / bytes;
    columns = max64(max64(columns, 4 * halo), 512);
    /* Makes spans of equal width, without a narrow one at the end. */
    int64_t spans = ceil_div(plan->result.width, columns);
    plan->span_columns = ceil_div(plan->result.width, spans);
    /* Whole units of the grid, because a part of a unit costs as much. */
    int64_t pitch = plan->stages[plan->count - 1].grid_x;
    plan->span_columns = min64(next_multiple(plan->span_columns, pitch), plan->result.width);
    for (int32_t i = 0; i < plan->count; i++)
        if (op_wraps_columns(&plan->ops[i]))
            plan->span_columns = plan->result.width; /* needs columns of the opposite edge */
}
