/* The experiments of the suites, and those that the user puts together. */
#ifndef SWATHE_BENCH_EXPERIMENT_H
#define SWATHE_BENCH_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

struct experiment {
    const char *suite, *name; /* "report-001", "masks"; "scan" and "" for the user's own */
    const char *title, *x, *plots;
    const char *space; /* as space_set_all takes it */
    const char *runs;  /* repetitions that the report states, "" where it does not: "30", or
                          "1000|1000,100,50" for GPUs | the sequential loop, problem by problem */
};

/* NULL past the end. */
const struct experiment *experiment_at(int index);

/* "report-001", "report-001/masks", and "reports" for all of report-…: does it name this one? */
bool experiment_in(const struct experiment *experiment, const char *suite);

/* "report-001/masks" */
const char *experiment_id(const struct experiment *experiment, char text[64]);

#endif
