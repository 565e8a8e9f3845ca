/* One number from the results of several masks, sample by sample. */
#include "algorithm/algorithm.h"
#include "filter/op.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 8 };

/* The kernels for the magnitude of two gradients, integers for other joins of s16, and the
 * definition for the rest. */
struct join {
    kernel *hypot;
    bool shorts;
};

static bool join_planes_applies(const struct algorithm_case *at)
{
    return at->op->rule == STAGE_JOIN;
}

static double join_planes_work(const struct algorithm_case *at)
{
    return 4.0 * at->op->joined;
}

static bool join_planes_has_kernel(const struct op *op)
{
    if (op->join != STAGE_JOIN_HYPOT || op->joined != 2 || op->missing)
        return false;
    if (sample_is_float(op->in))
        return op->in == op->out;
    return op->in == SWATHE_S16 && op->bias == 0.0 &&
           (op->out == SWATHE_U8 || op->out == SWATHE_S16 || op->out == SWATHE_U16);
}

static swathe_status join_planes_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                      struct plan_stage *stage)
{
    struct join *join;
    (void)exact;
    TRY(arena_new(arena, 1, sizeof *join, "a plan", &join));
    if (join_planes_has_kernel(op))
        join->hypot = algorithm_find(KERNEL_HYPOT, sample_entry(op->in)->name,
                                     sample_entry(op->out)->name, isa, stage);
    join->shorts = op->join != STAGE_JOIN_HYPOT && op->in == SWATHE_S16 && op->out == SWATHE_U8 &&
                   op->bias == 0.0 && !op->missing;
    stage->prepared = join;
    stage->chunk = algorithm_chunk(op);
    stage->group = GROUP;
    return SWATHE_OK;
}

static int64_t join_planes_scratch_bytes(const struct plan_stage *stage, int64_t count,
                                         int32_t step)
{
    (void)count;
    (void)step;
    return round_up(stage->op->joined * (int64_t)sizeof(double), MEMORY_ALIGN);
}

/* The row of the n-th result that is joined. */
static const uint8_t *join_planes_row_of(const struct row_task *task, int32_t n, int32_t row)
{
    const struct op *op = task->stage->op;
    int32_t apart = op_colours(op) / op->joined / task->step;
    return task->rows[(task->plane + n * apart) * GROUP + row];
}

static void join_planes_run_row(const struct row_task *task, int32_t row)
{
    const struct op *op = task->stage->op;
    double *samples = task->scratch;
    int32_t in = sample_size(op->in), out = sample_size(op->out);
    for (int64_t i = 0; i < task->count; i++) {
        for (int32_t n = 0; n < op->joined; n++)
            samples[n] = sample_load(join_planes_row_of(task, n, row) + i * in, op->in);
        sample_store((uint8_t *)task->results[row] + i * out, op->out, op_join_apply(op, samples));
    }
}

/* Whole numbers need no rounding, and sums of all planes fit 32 bits. A part of a row at a time, in
 * loops that compilers vectorize. */
static void run_shorts(const struct row_task *task, int32_t row)
{
    enum { PART = 512 };
    const struct op *op = task->stage->op;
    int32_t low = (int32_t)op->low, high = (int32_t)op->high, part[PART];
    uint8_t *result = task->results[row];
    for (int64_t at = 0, count; at < task->count; at += count) {
        count = min64(task->count - at, PART);
        memset(part, 0, sizeof part);
        for (int32_t n = 0; n < op->joined; n++) {
            const int16_t *p = (const int16_t *)(const void *)join_planes_row_of(task, n, row) + at;
            for (int64_t i = 0; i < count; i++) {
                int32_t v = abs(p[i]), most = v > part[i] ? v : part[i];
                part[i] = op->join == STAGE_JOIN_MAX ? most : part[i] + v;
            }
        }
        for (int64_t i = 0; i < count; i++) {
            int32_t v = part[i] < low ? low : part[i];
            result[at + i] = (uint8_t)(v > high ? high : v);
        }
    }
}

static void run_hypot(const struct row_task *task, kernel *hypot, int32_t row)
{
    const struct op *op = task->stage->op;
    const void *source[] = {join_planes_row_of(task, 0, row), join_planes_row_of(task, 1, row)};
    struct kernel_args args = {.source = source,
                               .result = task->results[row],
                               .count = task->count,
                               .bias = op->bias,
                               .low = op->low,
                               .high = op->high,
                               .stream = task->stream};
    hypot(&args);
}

static void join_planes_run(const struct row_task *task)
{
    const struct join *join = task->stage->prepared;
    for (int32_t row = 0; row < task->height; row++)
        if (join->hypot)
            run_hypot(task, join->hypot, row);
        else if (join->shorts)
            run_shorts(task, row);
        else
            join_planes_run_row(task, row);
}

const struct algorithm_calls algorithm_join = {.applies = join_planes_applies,
                                               .work = join_planes_work,
                                               .make = join_planes_make,
                                               .scratch_bytes = join_planes_scratch_bytes,
                                               .run = join_planes_run};
