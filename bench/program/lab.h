/* What a run of the bench works with. */
#ifndef SWATHE_BENCH_LAB_H
#define SWATHE_BENCH_LAB_H

#include "agenda.h"
#include "machine.h"
#include "peak.h"
#include "rng.h"
#include "settings.h"

enum { LAB_WARNINGS = 32, LAB_TEXT = 256, LAB_PEAKS = 8 };

struct lab {
    struct settings settings;
    struct agenda agenda;
    swathe_context *context;
    char programs[LAB_TEXT]; /* folder of compiled programs, empty at the start */
    struct machine machine;
    struct peak peaks[LAB_PEAKS];
    int peak_count;
    struct rng rng;
    double start;     /* seconds of the clock */
    double mhz_after; /* the CPU's, at the end */
    double drift;     /* what visits differed by, as a share of the median */
    void *eviction;   /* memory that takes the place of all else in the caches */
    int64_t eviction_bytes;
    char warnings[LAB_WARNINGS][LAB_TEXT];
    int warning_count;
    const char *wisdom; /* $SWATHE_WISDOM, or "user's" */
    bool overridden;    /* types, borders, layouts or chains are not the suite's */
    bool interrupted;
};

/* Seconds since some time ago; of all CPUs of this process. */
double lab_now(void);
double lab_cpu(void);

/* 0, or the exit code after a message. The agenda stays the caller's. */
int lab_open(struct lab *lab);
void lab_close(struct lab *lab);

/* Another context that has seen nothing yet but the folder of programs. */
swathe_status lab_context(const struct lab *lab, swathe_context **context);

void lab_warn(struct lab *lab, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lab_evict(const struct lab *lab);

/* Bytes that images of one problem may take. */
int64_t lab_memory(const struct lab *lab);

#endif
