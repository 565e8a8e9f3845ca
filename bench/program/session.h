/* Measures everything on the agenda, within the budget. */
#ifndef SWATHE_BENCH_SESSION_H
#define SWATHE_BENCH_SESSION_H

#include "bench_run.h"

/* Each contender is verified and then timed; those of a problem run in turn, in an order that is
 * drawn anew for each round. Whatever went wrong is in its result. */
void session_run(struct bench_run *run);

/* Results whose results were wrong. */
int64_t session_wrong(const struct bench_run *run);

#endif
