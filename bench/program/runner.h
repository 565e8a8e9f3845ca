/* One contender that is ready to run. */
#ifndef SWATHE_BENCH_RUNNER_H
#define SWATHE_BENCH_RUNNER_H

#include "baseline.h"
#include "bench_run.h"
#include "result.h"
#include "workload.h"

enum { RUNNER_STAGES = 16 };

struct runner {
    const struct result *result;
    swathe_context *context;
    swathe_chain *chain;
    swathe_plan *plan; /* NULL: the reports' plain loops */
    bool as_pixels;    /* result.h */
    bool pads;         /* it finds the source padded with its border */
    const char *arithmetic;
    swathe_shape output; /* shape of the result */
    enum baseline_border border;
    float *taps[RUNNER_STAGES]; /* of the loops */
    struct buffer between[2];   /* images between their stages */
};

/* True for the reports' plain loops; true for contenders that run `problem.dense`. */
bool runner_is_plain(const struct contender *contender);
bool runner_is_dense(const struct contender *contender);

/* Returns SWATHE_ERROR_UNSUPPORTED, among others, if this contender does not support the problem.
 */
swathe_status runner_make(swathe_context *context, const struct settings *settings,
                          const struct result *result, struct runner *runner);
/* True if the contender reads a source that was padded with its border, as planes. The reports pad
 * outside their measured time. */
bool runner_pads(const struct result *result);
swathe_status runner_pad(swathe_context *context, const struct result *result,
                         const swathe_image *from, struct buffer *padded);
/* For swathe_run_options.progress: Ctrl-C cancels the run. */
int32_t runner_cancelled(void *user, int64_t done, int64_t total);
/* `from` is the padded source if the runner has `pads`. `times` is filled for GPUs; NULL: copies
 * and kernels are not timed separately. */
swathe_status runner_run(struct runner *runner, const swathe_image *from, const swathe_image *to,
                         swathe_run_times *times);
void runner_free(struct runner *runner);

/* The largest allowed difference from the definition: levels for integers, an absolute difference
 * for floats with samples within 1. */
double runner_tolerance(const struct runner *runner);

/* Fills the fields of the result that describe its plan. */
void runner_describe(const struct runner *runner, struct result *result);

#endif
