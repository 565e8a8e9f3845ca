/* Summarizes a run in one line per experiment. */
#ifndef SWATHE_BENCH_WRITE_SUMMARY_H
#define SWATHE_BENCH_WRITE_SUMMARY_H

#include "bench_run.h"

#include <stdio.h>

/* Prints the speed of Swathe's best and the numbers of results by status, then the warnings. */
void write_summary(const struct bench_run *run, FILE *to);

/* "best is 5.2 times as fast as sequential (median over 8 problems)"; "" if best was not timed. */
void summary_headline(const struct bench_run *run, int experiment, char *text, size_t size);

#endif
