/* A line for each contender and scope, for spreadsheets: bench.csv. */
#ifndef SWATHE_BENCH_WRITE_CSV_H
#define SWATHE_BENCH_WRITE_CSV_H

#include "lab.h"

#include <stdio.h>

void write_csv(const struct lab *lab, FILE *to);

#endif
