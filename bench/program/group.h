/* The contenders of one problem. */
#ifndef SWATHE_BENCH_GROUP_H
#define SWATHE_BENCH_GROUP_H

#include "lab.h"

struct group {
    struct row *rows;
    int64_t count;
};

/* Measures one visit of all of them, until about `until`. The first visit verifies; only rows that
 * have not been started have a part in it. */
void group_measure(struct lab *lab, const struct group *group, int32_t visit, double until);

#endif
