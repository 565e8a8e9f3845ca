/* The contenders of one problem. */
#ifndef SWATHE_BENCH_GROUP_H
#define SWATHE_BENCH_GROUP_H

#include "bench_run.h"

struct group {
    struct result *results;
    int64_t count;
};

/* Takes the samples of one visit, until about `until`. The first visit also verifies, and includes
 * only results that have not been started. */
void group_measure(struct bench_run *run, const struct group *group, int32_t visit, double until);

#endif
