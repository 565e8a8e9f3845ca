/* Tables for people: on standard output, and as bench.md. */
#ifndef SWATHE_CLI_BENCH_WRITE_MARKDOWN_H
#define SWATHE_CLI_BENCH_WRITE_MARKDOWN_H

#include "bench/lab.h"

#include <stdio.h>

/* The whole report. */
void write_markdown(const struct lab *lab, const char *command, FILE *to);

/* The results of every experiment alone. */
void write_tables(const struct lab *lab, FILE *to);

/* A line for each experiment: what was measured, what was not, who was fastest. */
void write_summary(const struct lab *lab, FILE *to);

#endif
