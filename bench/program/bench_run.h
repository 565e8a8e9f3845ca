/* The settings and the state of a run of the benchmark. */
#ifndef SWATHE_BENCH_RUN_H
#define SWATHE_BENCH_RUN_H

#include "../../src/base/os_clock.h"
#include "agenda.h"
#include "machine.h"
#include "peak.h"
#include "rng.h"

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
    const char *transfer; /* host memory for copies to and from a GPU: "pinned" or "pageable"; NULL:
                             pinned for best, pageable for strategies of the reports */
    uint64_t seed;
};

enum { RUN_TEXT = 256, RUN_PEAKS = 8 };

struct bench_run {
    struct settings settings;
    struct agenda agenda;
    swathe_context *context;
    char programs[RUN_TEXT]; /* directory of compiled programs, initially empty */
    struct machine machine;
    struct peak peaks[RUN_PEAKS];
    int peak_count;
    struct rng rng;
    double start;     /* seconds of the clock */
    double mhz_after; /* the CPU's, at the end */
    void *eviction;   /* memory that is written to flush the caches */
    int64_t eviction_bytes;
    const char *wisdom; /* $SWATHE_WISDOM, or "user's" if it is not set */
    bool overridden;    /* options replace types, borders, layouts or chains of the suite */
    bool interrupted;
};

/* CPU seconds of this process. */
double seconds_cpu(void);

/* 0, or the exit code after a message. The caller owns the agenda. */
int bench_run_open(struct bench_run *run);
void bench_run_close(struct bench_run *run);

/* A new context that uses the same directory of programs. */
swathe_status bench_run_context(const struct bench_run *run, swathe_context **context);

void bench_run_evict(const struct bench_run *run);

#endif
