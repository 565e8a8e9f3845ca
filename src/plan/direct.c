/* One sum over all taps: any mask, any type. */
#include "plan/algorithm.h"

#include "base/checked.h"
#include "filter/quantise.h"

#include <math.h>
#include <stdlib.h>

struct direct {
    kernel *kernel;
    struct packed_taps *masks;
};

static bool applies(const struct op *op)
{
    return op->rule == STAGE_DENSE;
}

static double cost(const struct op *op)
{
    return (double)op->tap_count;
}

/* 16-bit samples sum in doubles while every partial sum is an integer below 2^53. */
static bool fits_double(const struct op *op)
{
    for (int32_t m = 0; m < op->mask_count; m++) {
        const struct op_taps *taps = &op->masks[m];
        int64_t sum = 0;
        for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
            sum += llabs(taps->w[i]);
        if ((double)sum * (double)quantise_sample_max(op->in) + fabs((double)taps->add) >= 0x1p53)
            return false;
    }
    return true;
}

/* u8 sums in 16 bits where taps are small whole numbers, as those of most named filters. */
static bool fits_narrow(const struct op *op)
{
    for (int32_t m = 0; m < op->mask_count; m++) {
        const struct op_taps *taps = &op->masks[m];
        int32_t common = algorithm_common_bits(taps);
        int64_t sum = 0;
        for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
            int64_t tap = llabs(taps->w[i] >> common);
            if (tap > INT8_MAX)
                return false;
            sum += tap;
        }
        if (sum * UINT8_MAX + llabs(taps->add >> common) > INT16_MAX)
            return false;
    }
    return true;
}

static enum kernel_sum choose_sum(const struct op *op, bool exact)
{
    if (!op->integer)
        return exact ? KERNEL_FLOAT : KERNEL_FAST;
    if (op->in == SWATHE_U8)
        return op->out == SWATHE_U8 && fits_narrow(op) ? KERNEL_NARROW : KERNEL_PAIR;
    return fits_double(op) ? KERNEL_WIDE : KERNEL_LONG;
}

static swathe_status make(struct arena *arena, const struct op *op, int isa, bool exact,
                          struct plan_stage *stage)
{
    struct direct *direct;
    enum kernel_sum sum = choose_sum(op, exact);
    TRY(arena_new(arena, 1, sizeof *direct, "a plan", &direct));
    TRY(arena_new(arena, op->mask_count, sizeof *direct->masks, "taps", &direct->masks));
    for (int32_t m = 0; m < op->mask_count; m++)
        TRY(algorithm_pack(arena, op, &op->masks[m], sum, &direct->masks[m]));
    direct->kernel = algorithm_find(sum, sample_row(stage->row_type)->name,
                                    op->integer ? sample_row(op->out)->name : "f32", isa, stage);
    stage->prepared = direct;
    return SWATHE_OK;
}

/* A pointer per tap, and a row of floats where the result is converted. */
static int64_t pointer_bytes(const struct op *op)
{
    return round_up((op->tap_count + 1) * (int64_t)sizeof(void *), MEMORY_ALIGN);
}

static int64_t scratch(const struct plan_stage *stage, int64_t count, int32_t step)
{
    (void)step;
    return pointer_bytes(stage->op) + round_up(count * (int64_t)sizeof(float), MEMORY_ALIGN);
}

static void run_row(const struct row_job *job, int32_t row)
{
    const struct plan_stage *stage = job->stage;
    const struct direct *direct = stage->prepared;
    int32_t mask = stage->op->mask_count > 1 ? job->channel : 0;
    const struct packed_taps *packed = &direct->masks[mask];
    const void **source = job->scratch;
    int64_t pixel = (int64_t)job->step * sample_size(stage->row_type);
    for (int64_t t = 0; t < packed->count; t++)
        source[t] = job->rows[packed->row[t] + row] + packed->column[t] * pixel;
    struct kernel_args args = {.source = source,
                               .taps = packed->taps,
                               .tap_count = packed->count,
                               .result = job->results[row],
                               .count = job->count};
    algorithm_finish(stage->op, packed, &args);
    if (!stage->to_result) {
        direct->kernel(&args);
        return;
    }
    float *floats = (float *)((uint8_t *)job->scratch + pointer_bytes(stage->op));
    args.result = floats;
    args.low = -INFINITY; /* the conversion clamps */
    args.high = INFINITY;
    direct->kernel(&args);
    algorithm_store(job, floats, job->results[row]);
}

static void run(const struct row_job *job)
{
    for (int32_t row = 0; row < job->height; row++)
        run_row(job, row);
}

const struct algorithm_calls algorithm_direct = {applies, cost, make, scratch, run};
