/* Weighing by alpha and dividing, for pixels of u8 whose channels stay interleaved. */
#ifndef SWATHE_ALGORITHM_ALPHA_PIXELS_H
#define SWATHE_ALGORITHM_ALPHA_PIXELS_H

#include "algorithm/algorithm.h"

struct alpha_pixels {
    kernel *run;
    struct kernel_alpha constants;
};

/* For STAGE_WEIGH and STAGE_DIVIDE; NULL unless its pixels can stay interleaved. */
swathe_status alpha_pixels_make(struct arena *arena, const struct op *op, int isa,
                                struct plan_stage *stage, struct alpha_pixels **pixels);
/* Runs a task of several channels. */
void alpha_pixels_run(const struct alpha_pixels *pixels, const struct row_task *task);

#endif
