/* A bench.json, read for comparing. */
#ifndef SWATHE_BENCH_RUN_FILE_H
#define SWATHE_BENCH_RUN_FILE_H

#include "statistics.h"

enum { RUN_FACTS_MOST = 32, RUN_FACT_SIZE = 512 };

/* One contender on one problem. */
struct run_result {
    char *name;        /* everything that makes it the same contender in another file */
    const char *scope; /* "kernel", or "call" where there is no kernel; NULL: not timed */
    const char *status;
    double *samples; /* ms, all above 0; NULL: not timed */
    int32_t *visit;
    int64_t count;
    int64_t place; /* in the file */
};

/* What a comparison stands on: the machine, how it was built and measured. */
struct run_fact {
    const char *section, *name;
    char value[RUN_FACT_SIZE];
};

struct run_file {
    const char *path;
    void *tree; /* the parser's, which the results' words belong to */
    struct run_result *results;
    int64_t count;
    double drift; /* what visits differ by: for compare_runs.c to find out */
    struct run_fact facts[RUN_FACTS_MOST]; /* the same names in every file */
    int32_t fact_count;
};

/* Sorts the results by name, then place. Returns 0 or, after a message that names file and result,
 * the exit code; the file is to be freed in either case. */
int run_file_read(const char *path, struct run_file *file);
void run_file_free(struct run_file *file);

#endif
