/* The results of every experiment as tables, in Markdown. */
#ifndef SWATHE_BENCH_WRITE_TABLE_H
#define SWATHE_BENCH_WRITE_TABLE_H

#include "bench_run.h"

#include <stdio.h>

/* Columns of the terminal that this is; 0: it is none, and tables may be as wide as they are. */
int table_terminal(FILE *to);

/* In so many columns: the least important figures are left out, and long names cut. 0: all. */
void write_tables(const struct bench_run *run, FILE *to, int width);

#endif
