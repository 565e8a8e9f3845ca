#include "algorithm/algorithm.h"

#include <math.h>

/* An alpha below ½ is rounded to 0, and with it the colours. */
static struct kernel_alpha constants_of(const struct weights *weights)
{
    struct weights_sum sum = weights->quotient.sums[0];
    struct kernel_alpha to = {.all = sum.all, .unit = sum.unit, .share = sum.all / weights->most};
    to.least = fmax(0.5 * to.share, 0x1p-1074);
    to.least_float = (float)to.least;
    if ((double)to.least_float < to.least)
        to.least_float = nextafterf(to.least_float, INFINITY);
    return to;
}

swathe_status alpha_pixels_make(struct arena *arena, const struct op *op, int isa,
                                struct plan_stage *stage, struct alpha_pixels **pixels)
{
    *pixels = NULL;
    if (!op->weights->pixels)
        return SWATHE_OK;
    TRY(arena_new(arena, 1, sizeof **pixels, "a plan", pixels));
    if (op->rule == STAGE_WEIGH) {
        (*pixels)->run = algorithm_find(KERNEL_ALPHA_MULTIPLY, "u8", "f32", isa, stage);
        return SWATHE_OK;
    }
    (*pixels)->run = algorithm_find(KERNEL_ALPHA_DIVIDE, "f32", "u8", isa, stage);
    (*pixels)->constants = constants_of(op->weights);
    return SWATHE_OK;
}

void alpha_pixels_run(const struct alpha_pixels *pixels, const struct row_task *task)
{
    for (int32_t r = 0; r < task->height; r++) {
        const void *source = task->rows[r];
        pixels->run(&(struct kernel_args){.source = &source,
                                          .tap_count = 1,
                                          .taps = &pixels->constants,
                                          .result = task->results[r],
                                          .count = task->count,
                                          .apart = task->step});
    }
}
