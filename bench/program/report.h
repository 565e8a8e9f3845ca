/* The results of a run: JSON, and what the Python program in report/ makes of it. */
#ifndef SWATHE_BENCH_REPORT_H
#define SWATHE_BENCH_REPORT_H

#include "bench_run.h"

#include <stdio.h>

struct report {
    const char *path;    /* the directory of the files; NULL: none */
    const char *command; /* the command line */
    const char *peers;   /* output of bench/peers, or NULL */
    bool overwrite, plots, json;
};

/* Creates the directory if it is missing. Checks before the measurement, which may take hours, that
 * it is writable and contains no results. 0, or the exit code after a message. */
int report_open(const struct report *report);

/* Estimated seconds to write the files, mostly for the plots. */
double report_seconds(const struct report *report, const struct agenda *agenda);

/* Writes the files if there is a directory. Then prints JSON if it was asked for, otherwise the
 * summary and, without a directory, the tables. Without Python, there is only JSON and a line for
 * each result. 0, or the exit code after a message. */
int report_write(const struct report *report, const struct bench_run *run);

/* `swathe bench compare A B`, which Python does. Returns only on failure: the exit code after a
 * message. */
int report_compare(const char *before, const char *after, bool json);

#endif
