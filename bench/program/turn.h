/* One sample of a contender's time. */
#ifndef SWATHE_BENCH_TURN_H
#define SWATHE_BENCH_TURN_H

#include "lab.h"
#include "runner.h"

/* What the contenders of one problem share. */
struct bench_table {
    struct buffer source, result;
};

/* Filtering alone; on GPUs also with the copies. Adds a sample to these scopes of the row. */
swathe_status turn_kernel(const struct lab *lab, struct bench_table *table, struct runner *runner,
                          struct row *row, int32_t visit);

/* A whole call: plan, fresh memory, run. What the runner has padded stays so. */
swathe_status turn_call(const struct lab *lab, struct bench_table *table, struct runner *runner,
                        struct row *row, int32_t visit);

/* The first call, with a context of its own. */
swathe_status turn_first(const struct lab *lab, struct bench_table *table, struct row *row);

#endif
