/* How to measure; every field is in the results. */
#ifndef SWATHE_BENCH_SETTINGS_H
#define SWATHE_BENCH_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Where results go. */
enum pages {
    PAGES_REUSED, /* the same memory every time */
    PAGES_FRESH,  /* new memory for each run, with its page faults */
    PAGES_HUGE    /* the same memory, in huge pages where the system has them */
};

struct settings {
    double budget;  /* seconds for everything; 0: as long as it takes */
    double reserve; /* of it for what comes after measuring */
    double seconds; /* of timed runs for each contender */
    int64_t runs;   /* samples of each contender at least, where there is no budget */
    int32_t visits; /* times that each contender has its turn, far apart */
    bool cold;      /* caches are emptied before each run */
    enum pages pages;
    const char *transfer; /* "pinned" or "pageable" memory beside a GPU */
    uint64_t seed;
};

#endif
