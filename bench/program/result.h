/* One contender on one problem: what was asked, and what came out. */
#ifndef SWATHE_BENCH_RESULT_H
#define SWATHE_BENCH_RESULT_H

#include "statistics.h"
#include "swathe/swathe.h"

#include <stdbool.h>

enum { RESULT_FILTER = 512, RESULT_NAME = 64, RESULT_WHY = 512 };
#define BENCH_FORMAT "swathe-bench 2" /* of bench.json */
enum { RESULTS_MOST = 20000 };        /* of a run, and of a file that can be compared */

struct problem {
    char filter[RESULT_FILTER]; /* {k} filled in */
    char dense[RESULT_FILTER];  /* the same as dense masks; "" where it is that already */
    int32_t k;                  /* edge of the mask; 0: a chain */
    int64_t width, height;
    int32_t channels, alpha; /* alpha: 1 + its channel, which is copied; 0: none */
    swathe_type type;
    swathe_layout layout;
    char border[RESULT_NAME];
    char image[RESULT_FILTER]; /* a file whose samples are measured; "": random ones */
};

struct contender {
    char device[RESULT_NAME], strategy[RESULT_NAME];
    int32_t block; /* 0: the strategy's own */
    int32_t threads;
};

/* What a time is of. */
enum scope {
    SCOPE_KERNEL,   /* filtering, with memory, threads and programs ready */
    SCOPE_TRANSFER, /* GPU: and the copies to and from it */
    SCOPE_CALL,     /* planning, fresh memory for the result, and the copies between layouts */
    SCOPE_FIRST,    /* the first call ever: opening the device and compiling, too */
    SCOPE_COUNT
};

struct samples {
    double *wall, *cpu; /* milliseconds, of the clock and of the process's CPUs */
    int32_t *visit;     /* which time around */
    int64_t count, room;
    struct bench_statistics statistics;
    double cpu_median;
};

enum result_status { RESULT_OK, RESULT_WRONG, RESULT_REFUSED, RESULT_LEFT_OUT };

struct result {
    int32_t experiment, group; /* results of a group have the same problem */
    struct problem problem;
    struct contender contender;
    enum result_status status;
    bool started;                /* it was verified, or refused */
    char why[RESULT_WHY];        /* where it is not RESULT_OK */
    char verified[RESULT_NAME];  /* how; "" where it was not */
    const char *runs;            /* problem.filter or problem.dense */
    char algorithm[RESULT_NAME]; /* of the CPU's plan */
    uint64_t checksum;           /* of the result */
    double seconds;              /* one run, as last seen */
    double wanted;               /* seconds of its visit */
    int32_t runs_each;           /* runs that make one sample */
    int64_t stated;              /* runs that the report did; 0: it does not say */
    double bytes, flop;
    bool as_pixels; /* of a planar problem: the strategy takes pixels only */
    bool effective; /* it does fewer operations than `flop` */
    struct samples scopes[SCOPE_COUNT];
};

bool contender_on_cpu(const struct contender *contender);
/* Is it Swathe as it is without being told how? */
bool contender_is_best(const struct contender *contender);

const char *scope_name(enum scope scope);
const char *result_status_name(enum result_status status);
const char *layout_name(swathe_layout layout);

/* "tiled:16 on opencl:0", "best on cpu, 2 threads" */
void result_label(const struct result *result, char *text, size_t size);
/* "box:9 1000x1000x3 s16 planar reflect" */
void problem_label(const struct problem *problem, char *text, size_t size);

/* False: no memory. */
bool samples_add(struct samples *samples, double wall, double cpu, int32_t visit);
void samples_free(struct samples *samples);

#endif
