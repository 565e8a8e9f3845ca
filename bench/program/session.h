/* Measures everything on the agenda, within the budget. */
#ifndef SWATHE_BENCH_SESSION_H
#define SWATHE_BENCH_SESSION_H

#include "agenda.h"
#include "bench_run.h"

/* Verifies and then times each contender. The contenders of a problem run one after another, in a
 * new random order in each round. Failures are stored in the results. */
void session_run(struct bench_run *run);

/* ---- The contenders of one problem ----------------------------------------------------------- */

struct contenders {
    struct result *results;
    int64_t count;
};

/* Takes the samples of one visit, until about `until`. The first visit also verifies, and includes
 * only results that have not been started. */
void group_measure(struct bench_run *run, const struct contenders *group, int32_t visit,
                   double until);

/* ---- Estimates of a contender's first run ---------------------------------------------------- */

/* Scales the time of the last contender of the same kind, or guesses. */
double estimate_seconds(const struct agenda *agenda, const struct result *result);

/* True if the result is the first on the agenda that needs its GPU program. */
bool estimate_compiles(const struct agenda *agenda, const struct result *result);

/* True if no result of the same kind has been started in the experiment. */
bool estimate_is_first(const struct agenda *agenda, const struct result *result);

#endif
