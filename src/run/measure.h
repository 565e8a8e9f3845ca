/* Measures the time of a plan on synthetic pixels. */
#ifndef SWATHE_RUN_MEASURE_H
#define SWATHE_RUN_MEASURE_H

#include "run/run.h"

/* Images for the plans of one problem. */
struct measure {
    const struct memory *memory;
    struct pool *pool;
    void *source, *result;
    swathe_image from, to;
};

swathe_status measure_begin(const struct memory *memory, struct pool *pool, const struct plan *plan,
                            struct measure *measure);
void measure_end(struct measure *measure);

/* Nanoseconds of one run on this thread, averaged over `repeats` runs. */
swathe_status measure_run(const struct measure *measure, const struct plan *plan, int32_t repeats,
                          double *ns);

#endif
