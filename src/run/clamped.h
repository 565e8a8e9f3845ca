/* Estimates how many results were outside the range of their type before they were clamped. Pixels
 * of a sparse grid are examined, at positions that depend on the plan alone: the counts are the
 * same for any threads, cells and spans. */
#ifndef SWATHE_RUN_CLAMPED_H
#define SWATHE_RUN_CLAMPED_H

#include "plan/plan.h"

#include <stdatomic.h>

struct clamped {
    int32_t stage; /* whose results are examined: the last one of the chain; -1: none */
    int64_t pitch; /* pixels between those that are examined, in both directions */
    atomic_llong examined, below, above; /* samples */
};

/* Nothing is examined if no result of the stage can be outside its range, or not on the CPU. */
void clamped_init(const struct plan *plan, struct clamped *clamped);

/* Examines the results of a task, which are in the memory of its target: `results` are its rows,
 * NULL for those that are not needed, and `columns` those that belong to the span. */
void clamped_examine(struct clamped *clamped, const struct row_task *task,
                     const uint8_t *const *results, struct interval columns);

#endif
