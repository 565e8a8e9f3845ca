/* Measures everything on the agenda, within the budget. */
#ifndef SWATHE_BENCH_SESSION_H
#define SWATHE_BENCH_SESSION_H

#include "bench_run.h"

/* Verifies and then times each contender. The contenders of a problem run one after another, in a
 * new random order in each round. Failures are stored in the results. */
void session_run(struct bench_run *run);

#endif
