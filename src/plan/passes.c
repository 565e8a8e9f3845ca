#include "plan/passes.h"

#include "base/checked.h"

/* A pointer per tap of the longer pass, the row between the passes, and a row of floats where the
 * result is converted. */
static int64_t pointer_bytes(const struct op *op)
{
    int64_t taps = (int64_t)op->above + op->below + op->left + op->right + 4;
    return round_up(taps * (int64_t)sizeof(void *), MEMORY_ALIGN);
}

static int64_t middle_bytes(const struct op *op, int64_t count, int32_t step)
{
    int64_t samples = count + ((int64_t)op->left + op->right) * step;
    return round_up(samples * (int64_t)sizeof(double), MEMORY_ALIGN);
}

int64_t passes_scratch(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct op *op = stage->op;
    return pointer_bytes(op) + middle_bytes(op, count, step) +
           round_up(count * (int64_t)sizeof(float), MEMORY_ALIGN);
}

static void run_down(const struct row_job *job, const struct passes *passes, const void **source,
                     void *middle)
{
    const struct op *op = job->stage->op;
    for (int64_t t = 0; t < passes->down.count; t++)
        source[t] = job->rows[passes->down.row[t]];
    struct kernel_args args = passes->down_end;
    args.source = source;
    args.result = middle;
    args.count = job->count + ((int64_t)op->left + op->right) * job->step;
    passes->down_kernel(&args);
}

static void run_across(const struct row_job *job, const struct passes *passes, const void **source,
                       const uint8_t *middle, void *result)
{
    int64_t pixel = (int64_t)job->step * passes->middle_size;
    for (int64_t t = 0; t < passes->across.count; t++)
        source[t] = middle + passes->across.column[t] * pixel;
    struct kernel_args args = passes->across_end;
    args.source = source;
    args.result = result;
    args.count = job->count;
    passes->across_kernel(&args);
}

void passes_run(const struct row_job *job)
{
    const struct passes *passes = job->stage->prepared;
    const struct op *op = job->stage->op;
    uint8_t *middle = (uint8_t *)job->scratch + pointer_bytes(op);
    float *floats = (float *)(middle + middle_bytes(op, job->count, job->step));
    run_down(job, passes, job->scratch, middle);
    run_across(job, passes, job->scratch, middle, job->stage->to_result ? floats : job->results[0]);
    if (job->stage->to_result)
        algorithm_store(job, floats, job->results[0]);
}
