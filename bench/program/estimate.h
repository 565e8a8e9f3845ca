/* Estimates the time of a run before the first one. */
#ifndef SWATHE_BENCH_ESTIMATE_H
#define SWATHE_BENCH_ESTIMATE_H

#include "agenda.h"

/* Uses the last contender of the same kind that ran, or a guess. */
double estimate_seconds(const struct agenda *agenda, const struct result *result);

/* True if it is the first on the agenda that needs its GPU program. */
bool estimate_compiles(const struct agenda *agenda, const struct result *result);

/* True if no result of its kind has been started in the experiment. */
bool estimate_is_first(const struct agenda *agenda, const struct result *result);

#endif
