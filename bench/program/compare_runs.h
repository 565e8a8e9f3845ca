/* Two runs of the benchmark, contender by contender. */
#ifndef SWATHE_BENCH_COMPARE_RUNS_H
#define SWATHE_BENCH_COMPARE_RUNS_H

#include "run_file.h"

#include <stdbool.h>

enum change_verdict {
    CHANGE_NONE,
    CHANGE_FASTER,
    CHANGE_SLOWER,
    CHANGE_FEW,
    CHANGE_WIDE,
    CHANGE_VERDICTS
};

struct change {
    const struct run_result *before, *after;
    double before_ms, after_ms;
    struct bench_ratio ratio; /* after / before; all results' intervals hold together */
    double p, adjusted;       /* of the permutation test; for all results together */
    enum change_verdict verdict;
    bool stated, foreseen; /* `before` states an interval; after_ms lies in it */
};

struct comparison {
    struct run_file before, after;
    struct change *changes;
    int64_t count;
    struct only {
        const struct run_result *result; /* timed in one of them */
        bool in_before;
    } * alone;
    int64_t alone_count;
    int64_t tally[CHANGE_VERDICTS];
    int64_t stated, foreseen;
};

/* `swathe bench compare`: 0: nothing is slower; EXIT_DIFFERENT: something is; else after a
 * message. */
int bench_compare(const char *path_before, const char *path_after, bool json);

void compare_print_people(const struct comparison *comparison);
void compare_print_json(const struct comparison *comparison);

#endif
