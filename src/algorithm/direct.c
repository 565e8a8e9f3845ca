/* One sum over all taps, for any mask and type. */
#include "algorithm/multirow.h"

#include "base/checked.h"

#include <math.h>
#include <stdlib.h>

/* A kernel of one row, one of several rows, or both: then the first computes rows that are streamed
 * to memory. */
struct direct {
    kernel *kernel; /* adds tap by tap; or NULL */
    struct packed_taps *masks;
    struct multirow *multirow; /* one per mask; or NULL */
};

static bool direct_applies(const struct algorithm_case *at)
{
    return at->op->rule == STAGE_DENSE || at->op->rule == STAGE_MIX;
}

static bool suits_multirow(const struct op *op, enum kernel_sum sum)
{
    for (int32_t m = 0; m < op->mask_count; m++)
        if (!multirow_suits(op, &op->masks[m]) ||
            (sum == KERNEL_WIDE && !multirow_splits(op, &op->masks[m])))
            return false;
    return sum != KERNEL_LONG && op->rule == STAGE_DENSE;
}

/* The unit is a tap of a multirow kernel. Without such a kernel, every tap loads its samples again;
 * and vectors hold half as many doubles. */
static double direct_work(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    enum kernel_sum sum = algorithm_sum(op, false);
    double each = suits_multirow(op, sum) || sum == KERNEL_NARROW ? 1.0
                  : sum == KERNEL_WIDE                            ? 4.0
                  : sum == KERNEL_LONG                            ? 40.0
                                                                  : 2.2;
    return each * (double)op->tap_count;
}

static swathe_status direct_make_multirow(struct arena *arena, const struct op *op,
                                          enum kernel_sum sum, const char *result, int isa,
                                          struct plan_stage *stage)
{
    struct direct *direct = stage->prepared;
    TRY(arena_new(arena, op->mask_count, sizeof *direct->multirow, "taps", &direct->multirow));
    for (int32_t m = 0; m < op->mask_count; m++) {
        struct multirow *multirow = &direct->multirow[m];
        TRY(multirow_make(arena, op, &op->masks[m], sum, result, isa, stage, multirow));
        if (stage->to_result) {
            multirow->args.low = -INFINITY; /* the conversion clamps */
            multirow->args.high = INFINITY;
        }
    }
    return SWATHE_OK;
}

/* With few taps, a kernel of one row streams faster than a multirow kernel: it stores each row's
 * own cache lines from registers. It is also faster than one of FEW_ROWS. */
enum { FEW_ROWS = 4 };
static bool streams_rows(const struct op *op, enum kernel_sum sum)
{
    enum { FEW_TAPS = 9 };
    return sum == KERNEL_NARROW && op->out == SWATHE_U8 && op->tap_count <= FEW_TAPS;
}

/* A tap of a mix reads the same row of another plane. */
static void move_to_planes(const struct op *op, struct packed_taps *packed)
{
    for (int64_t t = 0; t < packed->count; t++) {
        packed->row[t] = op_colour_plane(op, packed->column[t]) * MULTIROW_GROUP;
        packed->column[t] = 0;
    }
}

static swathe_status direct_make_rows(struct arena *arena, const struct op *op, enum kernel_sum sum,
                                      const char *result, int isa, struct plan_stage *stage)
{
    struct direct *direct = stage->prepared;
    TRY(arena_new(arena, op->mask_count, sizeof *direct->masks, "taps", &direct->masks));
    for (int32_t m = 0; m < op->mask_count; m++) {
        TRY(algorithm_pack(arena, op, &op->masks[m], sum, &direct->masks[m]));
        if (op->rule == STAGE_MIX)
            move_to_planes(op, &direct->masks[m]);
    }
    direct->kernel = algorithm_find(sum, sample_entry(stage->row_type)->name, result, isa, stage);
    return SWATHE_OK;
}

static swathe_status direct_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                 struct plan_stage *stage)
{
    struct direct *direct;
    enum kernel_sum sum = algorithm_sum(op, exact);
    const char *result = sample_entry(algorithm_result(op))->name;
    TRY(arena_new(arena, 1, sizeof *direct, "a plan", &direct));
    stage->prepared = direct;
    stage->chunk = algorithm_chunk(op);
    bool multirow = suits_multirow(op, sum);
    if (multirow)
        TRY(direct_make_multirow(arena, op, sum, result, isa, stage));
    if (!multirow || streams_rows(op, sum))
        TRY(direct_make_rows(arena, op, sum, result, isa, stage));
    const struct multirow *first = direct->multirow; /* its kernel may be of a lower set */
    if (multirow && direct->kernel && kernel_multirow_height(first->isa, first->sum) <= FEW_ROWS)
        direct->multirow = NULL;
    /* The rows of a group share source rows, which stay cached. */
    stage->group = op->dilate_y > 1 ? 1 : MULTIROW_GROUP;
    return SWATHE_OK;
}

/* Bytes of the pointers and of what multirow kernels need … */
static int64_t direct_pointer_bytes(const struct plan_stage *stage, int32_t step)
{
    const struct direct *direct = stage->prepared;
    int64_t bytes = 0;
    for (int32_t m = 0; direct->multirow && m < stage->op->mask_count; m++)
        bytes = max64(bytes, multirow_scratch_bytes(&direct->multirow[m], step));
    return max64(bytes,
                 round_up((stage->op->tap_count + 1) * (int64_t)sizeof(void *), MEMORY_ALIGN));
}

/* … and of a row of reals if the result is converted. */
static int64_t real_bytes(const struct plan_stage *stage, int64_t count)
{
    return round_up(count * sample_size(stage->op->real), MEMORY_ALIGN);
}

static int64_t direct_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    return direct_pointer_bytes(stage, step) +
           (stage->to_result ? stage->group * real_bytes(stage, count) : 0);
}

static void run_rows(const struct row_task *task)
{
    const struct plan_stage *stage = task->stage;
    const struct direct *direct = stage->prepared;
    const struct packed_taps *packed = &direct->masks[task->mask];
    const void **source = task->scratch;
    int64_t pixel = (int64_t)task->step * sample_size(stage->row_type);
    struct kernel_args args = {
        .source = source, .taps = packed->taps, .tap_count = packed->count, .count = task->count};
    algorithm_finish(stage->op, packed, &args);
    struct algorithm_rows rows = {source, packed->count, sample_size(stage->row_type),
                                  sample_size(algorithm_result(stage->op))};
    void *reals = (uint8_t *)task->scratch + direct_pointer_bytes(stage, task->step);
    if (stage->to_result) {
        args.low = -INFINITY; /* the conversion clamps */
        args.high = INFINITY;
    }
    for (int32_t row = 0; row < task->height; row++) {
        for (int64_t t = 0; t < packed->count; t++)
            source[t] = task->rows[packed->row[t] + row] + packed->column[t] * pixel;
        args.result = stage->to_result ? reals : task->results[row];
        args.stream = task->stream && !stage->to_result;
        args.ahead = task->ahead ? (const void *const *)task->ahead + row : NULL;
        algorithm_run(direct->kernel, &args, packed->count, &rows);
        if (stage->to_result)
            algorithm_store(task, reals, task->results[row]);
    }
}

static void run_multirow(const struct row_task *task)
{
    const struct plan_stage *stage = task->stage;
    const struct direct *direct = stage->prepared;
    const struct multirow *multirow = &direct->multirow[task->mask];
    if (!stage->to_result) {
        multirow_run(multirow, task, task->count, task->results, task->scratch);
        return;
    }
    void *rows[MULTIROW_GROUP];
    uint8_t *reals = (uint8_t *)task->scratch + direct_pointer_bytes(stage, task->step);
    for (int32_t r = 0; r < task->height; r++)
        rows[r] = reals + r * real_bytes(stage, task->count);
    multirow_run(multirow, task, task->count, rows, task->scratch);
    for (int32_t r = 0; r < task->height; r++)
        algorithm_store(task, rows[r], task->results[r]);
}

static void direct_run(const struct row_task *task)
{
    const struct direct *direct = task->stage->prepared;
    if (direct->multirow && !(direct->kernel && task->stream))
        run_multirow(task);
    else
        run_rows(task);
}

const struct algorithm_calls algorithm_direct = {.applies = direct_applies,
                                                 .work = direct_work,
                                                 .make = direct_make,
                                                 .scratch_bytes = direct_scratch_bytes,
                                                 .run = direct_run};
