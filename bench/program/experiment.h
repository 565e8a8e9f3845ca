/* The experiments of the suites, and those that the command line defines. */
#ifndef SWATHE_BENCH_EXPERIMENT_H
#define SWATHE_BENCH_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

struct experiment {
    const char *suite, *name; /* "report-001", "masks"; "scan" and "" from the command line */
    const char *title, *x, *plots;
    const char *space; /* in the syntax of space_set_all */
    const char *runs;  /* repetitions in the report: "" if unknown, "30", or "1000|1000,100,50" for
                          GPUs | the sequential loop, one number for all problems or for each */
};

/* NULL past the end. */
const struct experiment *experiment_at(int index);

/* True if `suite` selects it: "report-001", "report-001/masks", or "reports" for all reports. */
bool experiment_in(const struct experiment *experiment, const char *suite);

/* "report-001/masks" */
const char *experiment_id(const struct experiment *experiment, char text[64]);

#endif
