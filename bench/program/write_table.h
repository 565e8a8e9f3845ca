/* Writes the results of every experiment as Markdown tables. */
#ifndef SWATHE_BENCH_WRITE_TABLE_H
#define SWATHE_BENCH_WRITE_TABLE_H

#include "bench_run.h"

#include <stdio.h>

/* Columns of the terminal; 0: not a terminal, so tables may have any width. */
int table_terminal(FILE *to);

/* Fits tables into `width` columns by omitting the least important figures and truncating long
 * names. 0: any width. */
void write_tables(const struct bench_run *run, FILE *to, int width);

#endif
