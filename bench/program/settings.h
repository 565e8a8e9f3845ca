/* Settings of a measurement; every field is written to the results. */
#ifndef SWATHE_BENCH_SETTINGS_H
#define SWATHE_BENCH_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Memory of the results. */
enum pages {
    PAGES_REUSED, /* the same memory every time */
    PAGES_FRESH,  /* new memory for each run, with its page faults */
    PAGES_HUGE    /* the same memory, in huge pages if available */
};

struct settings {
    double budget;  /* seconds for everything; 0: as long as it takes */
    double reserve; /* part of it for the work after measuring */
    double seconds; /* of timed runs for each contender */
    int64_t runs;   /* minimum number of samples of each contender, without a budget */
    int32_t visits; /* number of times that each contender is measured, far apart */
    bool cold;      /* caches are emptied before each run */
    enum pages pages;
    const char *transfer; /* "pinned" or "pageable" memory beside a GPU */
    uint64_t seed;
};

#endif
