/* bench.md: machine, tables, and the reports' figures beside ours. */
#ifndef SWATHE_BENCH_WRITE_MARKDOWN_H
#define SWATHE_BENCH_WRITE_MARKDOWN_H

#include "lab.h"

#include <stdio.h>

void write_markdown(const struct lab *lab, const char *command, FILE *to);

#endif
