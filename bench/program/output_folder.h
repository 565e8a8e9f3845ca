/* The folder that results go to. */
#ifndef SWATHE_BENCH_OUTPUT_FOLDER_H
#define SWATHE_BENCH_OUTPUT_FOLDER_H

#include "bench_run.h"

struct output_folder {
    const char *path;    /* NULL: none was asked for */
    const char *command; /* the line that made it */
    const char *peers;   /* a file that bench/peers printed, or NULL */
    bool overwrite, plots;
};

/* Makes it where it is missing, and refuses one that holds results already: before hours of
 * measuring, not after. 0, or the exit code after a message. */
int output_folder_open(const struct output_folder *folder);

/* About how long writing takes, most of it for the plots. */
double output_folder_seconds(const struct output_folder *folder, const struct agenda *agenda);

/* Writes bench.json, bench.csv and bench.md, each whole or not at all, and draws the plots and the
 * page. A missing plotter is a message. */
int output_folder_write(const struct output_folder *folder, const struct bench_run *run);

/* Prints the path of what to read first: the page, or bench.md without it. */
void output_folder_show(const struct output_folder *folder);

#endif
