/* The directory of the results. */
#ifndef SWATHE_BENCH_OUTPUT_FOLDER_H
#define SWATHE_BENCH_OUTPUT_FOLDER_H

#include "bench_run.h"

struct output_folder {
    const char *path;    /* NULL: none */
    const char *command; /* the command line */
    const char *peers;   /* output of bench/peers, or NULL */
    bool overwrite, plots;
};

/* Creates the directory if it is missing. Checks before the measurement, which may take hours, that
 * it is writable and contains no results. 0, or the exit code after a message. */
int output_folder_open(const struct output_folder *folder);

/* Estimated seconds to write the files, mostly for the plots. */
double output_folder_seconds(const struct output_folder *folder, const struct agenda *agenda);

/* Writes bench.json, bench.csv, bench.md, the plots and the page. Without matplotlib, prints a
 * message instead of plots. 0, or the exit code after a message. */
int output_folder_write(const struct output_folder *folder, const struct bench_run *run);

/* Prints the path of the page, or of bench.md if there is no page. */
void output_folder_show(const struct output_folder *folder);

#endif
