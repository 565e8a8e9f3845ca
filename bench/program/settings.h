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
    double reserve; /* part of it that is left for writing the files */
    double seconds; /* of timed runs for each contender */
    int64_t runs;   /* minimum number of samples of each contender, without a budget */
    int32_t visits; /* number of times that each contender is measured, far apart */
    bool cold;      /* caches are flushed before each run */
    enum pages pages;
    const char *transfer; /* host memory for copies to and from a GPU: "pinned" or "pageable" */
    uint64_t seed;
};

#endif
