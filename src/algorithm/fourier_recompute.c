/* Computes results again from the definition: those whose Fourier sum is so close to a rounding
 * boundary that its error could change them, and those of floats that transforms cannot process. */
#include "algorithm/fourier_plan.h"

#include "base/checked.h"

#include <math.h>

void fourier_direct(const struct row_task *task, const struct fourier_again *again, int64_t first,
                    int64_t last, int64_t y)
{
    const struct plan_stage *stage = task->stage;
    const struct fourier *fourier = stage->prepared;
    const struct packed_taps *taps = &fourier->masks[task->mask].again;
    int64_t size = sample_size(stage->row_type);
    uint8_t *result = (uint8_t *)task->results[y] + first * sample_size(stage->op->out);
    if (cancel_wanted()) /* a mask may have millions of pointers */
        return;
    for (int64_t t = 0; t < taps->count; t++)
        again->source[t] =
            task->rows[taps->row[t] + y] + (first + (int64_t)taps->column[t] * task->step) * size;
    struct kernel_args args = {.source = again->source,
                               .taps = taps->taps,
                               .tap_count = taps->count,
                               .result = stage->to_result ? again->reals : result,
                               .count = last - first};
    algorithm_finish(stage->op, taps, &args);
    if (stage->to_result) {
        args.low = -INFINITY; /* the conversion clamps */
        args.high = INFINITY;
    }
    struct algorithm_rows rows = {again->source, taps->count, (int32_t)size,
                                  sample_size(algorithm_result(stage->op))};
    algorithm_run(fourier->direct, &args, taps->count, &rows);
    if (stage->to_result) {
        struct row_task part = *task;
        part.count = last - first;
        algorithm_store(&part, again->reals, result);
    }
}

static bool is_near(double value, double margin)
{
    return value - floor(value) <= margin || ceil(value) - value <= margin;
}

/* Is a channel of the pixel in column i of a section near a boundary? */
static bool pixel_is_near(const struct fourier_output *out, int32_t step, int64_t lanes,
                          int64_t lane, int part, int64_t i, double half, double margin)
{
    const double *work = out->sections.work;
    for (int64_t c = 0; c < step; c++) {
        double v = work[((out->sections.points * c + i) * 2 + part) * lanes + lane];
        if (is_near((v + out->add) * out->scale + half, margin))
            return true;
    }
    return false;
}

/* Pixels that are near together are computed as one run, those between them included: a vector
 * costs little more than a sample. */
static void recompute_row(const struct row_task *task, const struct fourier_again *again,
                          const struct fourier_output *out, int64_t x, int64_t y, int64_t lane)
{
    const struct fourier *fourier = task->stage->prepared;
    const struct fourier_sections *sections = &out->sections;
    double half = task->stage->op->integer ? 0.0 : 0.5; /* integers have it in `add` */
    int64_t first = 0, last = -FOURIER_GAP - 1;
    for (int part = 0; part < 2; part++)
        for (int64_t i = 0; i < sections->count[part]; i++) {
            if (!pixel_is_near(out, task->step, fourier->kernels->lanes, lane, part, i, half,
                               fourier->margin))
                continue;
            int64_t at = x + part * sections->distance + i;
            if (at - last > FOURIER_GAP && last >= 0)
                fourier_direct(task, again, first * task->step, last * task->step, y + lane);
            first = at - last > FOURIER_GAP ? at : first;
            last = at + 1;
        }
    if (last >= 0)
        fourier_direct(task, again, first * task->step, last * task->step, y + lane);
}

void fourier_recompute(const struct row_task *task, const struct fourier_again *again,
                       const struct fourier_output *out, int64_t x, int64_t y)
{
    const struct fourier *fourier = task->stage->prepared;
    for (int64_t lane = 0; lane < fourier->kernels->lanes && y + lane < task->height; lane++)
        if (task->results[y + lane])
            recompute_row(task, again, out, x, y, lane);
}
