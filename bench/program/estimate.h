/* How long a run will take, before there was one. */
#ifndef SWATHE_BENCH_ESTIMATE_H
#define SWATHE_BENCH_ESTIMATE_H

#include "agenda.h"

/* By the last contender of that kind that ran, or a guess. */
double estimate_seconds(const struct agenda *agenda, const struct result *result);

/* Is it the first on the agenda that needs its GPU program? */
bool estimate_compiles(const struct agenda *agenda, const struct result *result);

/* Has no result of its kind been started in the experiment yet? */
bool estimate_is_first(const struct agenda *agenda, const struct result *result);

#endif
