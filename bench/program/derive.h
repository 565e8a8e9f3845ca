/* Rates and speed-ups, and the results to compare with published times. */
#ifndef SWATHE_BENCH_DERIVE_H
#define SWATHE_BENCH_DERIVE_H

#include "bench_run.h"
#include "published.h"

/* 0: unknown. */
struct derived {
    double gbs, gflops;           /* of the kernel's median */
    double copy_share, fma_share; /* share of the peaks with the same number of threads */
    double over_sequential;       /* speed-up over the loop of derive_loop */
    double over_single;           /* speed-up over `best` on one thread */
};

/* The baseline of an experiment's speed-ups: `sequential`, or the first sequential loop that was
 * timed; NULL: none was. */
const char *derive_loop(const struct bench_run *run, int experiment);

/* The result of this CPU strategy with one thread on the same problem; NULL: not timed. */
const struct result *derive_beside(const struct bench_run *run, const struct result *result,
                                   const char *strategy);

void derive(const struct bench_run *run, const struct result *result, struct derived *derived);

/* The fastest result of `best` on the CPU, over threads and layouts, for the problem of a published
 * time; NULL: not measured. */
const struct result *derive_ours(const struct bench_run *run, const struct published *published);
/* The scope to compare with a published time. */
enum scope derive_scope(const struct published *published);

/* True for times of report 001 that contradict limits of its code: the array of taps or the 32-bit
 * indices are too small. */
bool derive_doubtful(const struct published *published);

/* True if the experiment was on the agenda with the report's values. */
bool derive_has(const struct bench_run *run, const char *experiment);

#endif
