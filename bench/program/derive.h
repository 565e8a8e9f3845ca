/* Figures that follow from the times of several results. */
#ifndef SWATHE_BENCH_DERIVE_H
#define SWATHE_BENCH_DERIVE_H

#include "bench_run.h"
#include "published.h"

/* 0 or NULL: not known. */
struct derived {
    double gbs, gflops;           /* of the kernel's median */
    double copy_share, fma_share; /* share of the peaks with the same number of threads */
    double over_sequential;       /* times as fast as the loop of derive_loop */
    double over_single;           /* times as fast as Swathe's best on one thread */
};

/* The loop that an experiment's speed-ups are over: `sequential`, or else the first sequential one
 * that was timed; NULL: none was. */
const char *derive_loop(const struct bench_run *run, int experiment);

/* One thread of this strategy of the CPU on the same problem; NULL: not timed. */
const struct result *derive_beside(const struct bench_run *run, const struct result *result,
                                   const char *strategy);

void derive(const struct bench_run *run, const struct result *result, struct derived *derived);

/* The fastest result of Swathe's best on the CPU, over threads and layouts, for the problem of a
 * published figure; NULL: not measured. */
const struct result *derive_ours(const struct bench_run *run, const struct published *published);
/* The scope to compare with the published one. */
enum scope derive_scope(const struct published *published);

/* Figures of report 001 that its own limits contradict: its array for taps is too small, or its
 * 32-bit indices are. */
bool derive_doubtful(const struct published *published);

/* True if the experiment was on the agenda with the report's values. */
bool derive_has(const struct bench_run *run, const char *experiment);

#endif
