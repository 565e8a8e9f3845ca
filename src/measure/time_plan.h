/* Measures the time of a plan on synthetic pixels. */
#ifndef SWATHE_MEASURE_TIME_PLAN_H
#define SWATHE_MEASURE_TIME_PLAN_H

#include "run/run.h"

/* Images for the plans of one problem. */
struct measure {
    const struct memory *memory;
    struct pool *pool;
    void *source, *result;
    swathe_image from, to;
};

swathe_status time_plan_begin(const struct memory *memory, struct pool *pool,
                              const struct plan *plan, struct measure *measure);
void time_plan_end(struct measure *measure);

/* Nanoseconds of one run on this thread, averaged over `repeats` runs. */
swathe_status time_plan_run(const struct measure *measure, const struct plan *plan, int32_t repeats,
                            double *ns);

#endif
