/* Estimates the time of a contender's first run. */
#ifndef SWATHE_BENCH_ESTIMATE_H
#define SWATHE_BENCH_ESTIMATE_H

#include "agenda.h"

/* Scales the time of the last contender of the same kind, or guesses. */
double estimate_seconds(const struct agenda *agenda, const struct result *result);

/* True if the result is the first on the agenda that needs its GPU program. */
bool estimate_compiles(const struct agenda *agenda, const struct result *result);

/* True if no result of the same kind has been started in the experiment. */
bool estimate_is_first(const struct agenda *agenda, const struct result *result);

#endif
