#include "algorithm/byte_passes.h"

#include "base/checked.h"
#include "base/layout.h"

bool byte_passes_suit(const struct op *op, int64_t down, int64_t across)
{
    return op->in == SWATHE_U8 && op->out == SWATHE_U8 && op->dilate_y == 1 &&
           down <= KERNEL_BYTE_TAPS && across <= KERNEL_BYTE_TAPS &&
           (across - 1) * op->dilate_x * op->channels <= KERNEL_BYTE_HALO;
}

void byte_passes_make(const struct op *op, enum kernel_id id, int32_t row, int32_t down,
                      int32_t column, int32_t across, int isa, struct plan_stage *stage,
                      struct byte_passes *passes)
{
    int used;
    passes->kernel = kernel_find(isa, id, &used);
    passes->row = row;
    passes->column = column;
    passes->args.rows.mask_rows = down;
    passes->args.tap_count = across;
    passes->args.low = op->low;
    passes->args.high = op->high;
    stage->isa = used < stage->isa ? used : stage->isa;
    stage->group = KERNEL_BYTE_ROWS;
}

static int64_t pointer_bytes(const struct byte_passes *passes)
{
    return round_up((passes->args.rows.mask_rows + KERNEL_BYTE_ROWS) * (int64_t)sizeof(void *),
                    MEMORY_ALIGN);
}

int64_t byte_passes_scratch_bytes(const struct byte_passes *passes)
{
    return pointer_bytes(passes) + kernel_byte_bytes(passes->args.rows.mask_rows);
}

void byte_passes_run(const struct byte_passes *passes, const struct row_task *task)
{
    const struct op *op = task->stage->op;
    const void **source = task->scratch;
    struct kernel_args args = passes->args;
    int32_t rows = args.rows.mask_rows;
    for (int32_t r = 0; r < rows + KERNEL_BYTE_ROWS - 1; r++)
        source[r] = task->rows[passes->row + min64(r, task->height + rows - 2)] +
                    (int64_t)passes->column * task->step;
    args.source = source;
    args.apart = (int64_t)task->step * op->dilate_x;
    args.count = task->count;
    args.ahead = (const void *const *)task->ahead;
    args.rows.results = task->results;
    args.rows.height = task->height;
    args.rows.scratch = (uint8_t *)task->scratch + pointer_bytes(passes);
    passes->kernel(&args);
}
