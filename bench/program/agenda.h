/* All results that a run of the benchmark will measure, in order. */
#ifndef SWATHE_BENCH_AGENDA_H
#define SWATHE_BENCH_AGENDA_H

#include "experiment.h"
#include "result.h"
#include "space.h"

enum { AGENDA_EXPERIMENTS = 32 };

struct agenda {
    struct experiment experiments[AGENDA_EXPERIMENTS];
    int experiment_count;
    struct result *results;
    int64_t count, room;
    int32_t groups;
    bool uses_k, uses_block; /* some chain has {k}; some strategy takes a block */
};

/* Adds an experiment: all combinations of the values in its lists. Contenders of a problem are
 * adjacent, and small problems come first. A strategy runs on the devices that support it; if none
 * of them does, that is an error. 0, or the exit code after a message. */
int agenda_add(struct agenda *agenda, const struct experiment *experiment,
               const struct space *space);
void agenda_free(struct agenda *agenda);

/* Number of results with this status; `experiment` -1: in all experiments. */
int64_t agenda_count(const struct agenda *agenda, int experiment, enum result_status status);

/* Estimated multiply-adds of the definition. */
double problem_work(const struct problem *problem);

#endif
