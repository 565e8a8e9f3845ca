/* One sample of a contender's time. */
#ifndef SWATHE_BENCH_TAKE_SAMPLE_H
#define SWATHE_BENCH_TAKE_SAMPLE_H

#include "bench_run.h"
#include "runner.h"

/* Shared by the contenders of one problem. */
struct bench_images {
    struct buffer source, output;
};

/* Times the filtering alone, and on GPUs also with the copies. Adds a sample to each scope. */
swathe_status sample_kernel(const struct bench_run *run, struct bench_images *images,
                            struct runner *runner, struct result *result, int32_t visit);

/* Times a whole call: planning, new memory and the run. A padded source is reused. */
swathe_status sample_call(const struct bench_run *run, struct bench_images *images,
                          struct runner *runner, struct result *result, int32_t visit);

/* Times the first call, in a new context. */
swathe_status sample_first(const struct bench_run *run, struct bench_images *images,
                           struct result *result);

#endif
