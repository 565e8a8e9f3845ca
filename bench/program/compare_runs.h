/* Compares two runs of the benchmark, contender by contender. */
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
    struct bench_ratio ratio; /* after / before; in 19 of 20 comparisons all intervals are right */
    double p, adjusted;       /* of the permutation test; corrected for the number of results */
    enum change_verdict verdict;
    bool stated, foreseen; /* `before` has an interval; after_ms is in it */
};

struct comparison {
    struct run_file before, after;
    struct change *changes;
    int64_t count;
    struct only {
        const struct run_result *result;
        bool in_before;
    } * alone; /* timed in one of the files */
    int64_t alone_count;
    int64_t tally[CHANGE_VERDICTS];
    int64_t stated, foreseen;
};

/* `swathe bench compare`. Returns 0 if nothing became slower, EXIT_DIFFERENT if something did, or
 * another exit code after a message. */
int bench_compare(const char *path_before, const char *path_after, bool json);

void compare_print_people(const struct comparison *comparison);
void compare_print_json(const struct comparison *comparison);

#endif
