/* All results that a run of the bench will measure, in order. */
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
    bool uses_k, uses_block; /* some chain has {k}; some contender runs with these blocks */
};

/* Adds an experiment: every value of each list with every value of the others, contenders of a
 * problem together, small problems first. Strategies go to the devices that know them; ones that
 * no device knows are refused. 0, or the exit code after a message. */
int agenda_add(struct agenda *agenda, const struct experiment *experiment,
               const struct space *space);
void agenda_free(struct agenda *agenda);

/* Multiply-adds that the definition takes. */
double problem_work(const struct problem *problem);

#endif
