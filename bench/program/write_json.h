/* Writes all results as JSON: bench.json. docs/benchmark.md describes its fields. */
#ifndef SWATHE_BENCH_WRITE_JSON_H
#define SWATHE_BENCH_WRITE_JSON_H

#include "bench_run.h"

#include <stdio.h>

void write_json(const struct bench_run *run, const char *command, FILE *to);

#endif
