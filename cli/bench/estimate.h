/* How long a run will take, before there was one. */
#ifndef SWATHE_CLI_BENCH_ESTIMATE_H
#define SWATHE_CLI_BENCH_ESTIMATE_H

#include "bench/agenda.h"

/* By the last contender of that kind that ran, or a guess. */
double estimate_seconds(const struct agenda *agenda, const struct row *row);

#endif
