/* The experiments of the suites and of the command line, and all results that a run will measure,
 * in order. */
#ifndef SWATHE_BENCH_AGENDA_H
#define SWATHE_BENCH_AGENDA_H

#include "result.h"
#include "space.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Experiments ----------------------------------------------------------------------------- */

struct experiment {
    const char *suite, *name; /* "report-001", "masks"; "scan" and "" from the command line */
    const char *title, *x, *plots;
    const char *assumed; /* sentences on what the report does not state, separated by '|' */
    const char *space;   /* in the syntax of space_set_all */
    const char *runs; /* repetitions in the report: "" if unknown, "30", or "1000|1000,100,50" for
                         GPUs | the sequential loop, one number for all problems or for each */
};

/* NULL past the end. */
const struct experiment *experiment_at(int index);

/* True if `suite` selects it: "report-001", "report-001/masks", or "reports" for all reports. */
bool experiment_in(const struct experiment *experiment, const char *suite);

/* "report-001/masks" */
const char *experiment_id(const struct experiment *experiment, char text[64]);

/* ---- Results --------------------------------------------------------------------------------- */

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

/* True for a strategy of the CPU or of GPUs, perhaps with what can follow its name. */
bool agenda_knows(const char *strategy);

/* Number of results with this status; `experiment` -1: in all experiments. */
int64_t agenda_count(const struct agenda *agenda, int experiment, enum result_status status);

/* Estimated multiply-adds of the definition. */
double problem_work(const struct problem *problem);

/* ---- The command line ------------------------------------------------------------------------ */

struct options;

/* Adds the experiments of the suite, or the chains. 0, or the exit code after a message. */
int asked_agenda(const struct options *options, struct agenda *agenda);

/* True if options replace a suite's chains, types, layouts or borders, so that published times do
 * not apply. */
bool asked_overrides(const struct options *options);

#endif
