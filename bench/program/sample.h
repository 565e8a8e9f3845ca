/* The samples of one contender: what is timed, and into which scope it goes. */
#ifndef SWATHE_BENCH_SAMPLE_H
#define SWATHE_BENCH_SAMPLE_H

#include "bench_run.h"
#include "result.h"
#include "runner.h"

/* Shared by the contenders of one problem. */
struct bench_images {
    struct buffer source, output;
    struct buffer padded; /* the source with its border; made when a contender needs it */
};

/* The image that a contender reads; pads it first if a contender needs that. */
const swathe_image *sample_source(const struct bench_images *images, const struct runner *runner);
swathe_status sample_pad(const struct bench_run *run, struct bench_images *images,
                         const struct result *result);

/* True if the phases of its calls are measured: strategies other than best wait for each command
 * anyway. A sample of a call is then one of the kernel, too. */
bool sample_is_phased(const struct result *result);

/* Each of these adds to one scope of `result` or more. */

/* Times the filtering alone, and on GPUs also with the copies. */
swathe_status sample_kernel(const struct bench_run *run, struct bench_images *images,
                            struct runner *runner, struct result *result, int32_t visit);
/* Times a whole call: planning, new memory and the run. A padded source is reused. */
swathe_status sample_call(const struct bench_run *run, struct bench_images *images,
                          struct result *result, int32_t visit);
/* Times the first call, in a new context. */
swathe_status sample_first(const struct bench_run *run, struct bench_images *images,
                           struct result *result);

#endif
