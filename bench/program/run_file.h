/* A bench.json file, read for a comparison. */
#ifndef SWATHE_BENCH_RUN_FILE_H
#define SWATHE_BENCH_RUN_FILE_H

#include "statistics.h"

enum { RUN_FACTS_MOST = 32, RUN_FACT_SIZE = 512, RUN_SAMPLES_MOST = 1 << 20 };

/* One contender on one problem. */
struct run_result {
    char *name;        /* identifies the same contender in another file */
    const char *scope; /* "kernel", or "call" without a kernel time; NULL: not timed */
    double *samples;   /* ms, all above 0; NULL: not timed */
    int32_t *visit;
    int64_t count;
    int64_t place; /* in the file */
};

/* Conditions of a run: the machine, the build and the settings. */
struct run_fact {
    const char *section, *name;
    char value[RUN_FACT_SIZE];
};

struct run_file {
    const char *path;
    void *tree; /* the parsed document, which owns the results' strings */
    struct run_result *results;
    int64_t count;
    double drift;                          /* variation between visits, set by compare_runs.c */
    struct run_fact facts[RUN_FACTS_MOST]; /* the same names in every file */
    int32_t fact_count;
};

/* Sorts the results by name, then by position. Returns 0, or the exit code after a message that
 * names the file and the result. The file must be freed in either case. */
int run_file_read(const char *path, struct run_file *file);
void run_file_free(struct run_file *file);

#endif
