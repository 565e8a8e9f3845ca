/* One contender on one problem: the request and the result. */
#ifndef SWATHE_BENCH_RESULT_H
#define SWATHE_BENCH_RESULT_H

#include "swathe/unstable.h"

#include <stdbool.h>

enum { RESULT_FILTER = 512, RESULT_NAME = 64, RESULT_WHY = 512 };
#define BENCH_FORMAT "swathe-bench 4" /* of bench.json */
enum { RESULTS_MOST = 20000 };        /* in a run, and in a file to compare */

struct problem {
    char filter[RESULT_FILTER]; /* with {k} replaced */
    char dense[RESULT_FILTER];  /* the same with dense masks; "" if `filter` already has them */
    int32_t k;                  /* mask size; 0: a chain */
    int64_t width, height;
    int32_t channels, alpha; /* alpha: 1 + its channel, which is copied; 0: none */
    swathe_type type;
    swathe_layout layout;
    char border[RESULT_NAME];
    char arithmetic[RESULT_NAME]; /* of strategies that have another one than the contract's */
    bool padded;                  /* these strategies find planes with their border in memory */
    char image[RESULT_FILTER];    /* a file whose samples are measured; "": random ones */
};

struct contender {
    char device[RESULT_NAME], strategy[RESULT_NAME];
    int32_t block; /* 0: the strategy's default */
    int32_t threads;
};

/* What a time includes. */
enum scope {
    SCOPE_KERNEL, /* filtering, with memory, threads and programs ready; GPU: the launches alone, by
                     its own clock */
    SCOPE_TRANSFER, /* GPU: also the copies to and from it, by the host's clock */
    SCOPE_CALL,     /* also planning, fresh memory for the result, and copies between layouts */
    SCOPE_FIRST,    /* the first call: also opening the device and compiling */
    SCOPE_COUNT
};

/* Parts of a time, in the order in which they happen. PHASE_ALLOCATE and those after it are phases
 * of a run on a GPU. */
enum phase {
    PHASE_PLAN,
    PHASE_RESULT, /* memory for the result */
    PHASE_ALLOCATE,
    PHASE_GATHER,
    PHASE_UPLOAD,
    PHASE_KERNELS, /* by the host's clock */
    PHASE_DOWNLOAD,
    PHASE_SCATTER,
    PHASE_RELEASE,
    PHASE_COUNT
};

/* Milliseconds. */
struct sample {
    double wall, cpu; /* CPU time of the process */
    double phases[PHASE_COUNT];
    int32_t visit; /* its number */
};

struct samples {
    struct sample *at;
    int64_t count, room;
    bool phased; /* phases of runs on a GPU were measured */
};

enum result_status { RESULT_OK, RESULT_WRONG, RESULT_REFUSED, RESULT_LEFT_OUT };

struct result {
    int32_t experiment, group; /* results of a group have the same problem */
    struct problem problem;
    struct contender contender;
    enum result_status status;
    bool started;                /* it was verified, or refused */
    bool dropped;                /* the budget has no room for its experiment */
    char why[RESULT_WHY];        /* the reason if it is not RESULT_OK */
    char verified[RESULT_NAME];  /* how it was verified; "": it was not */
    const char *runs;            /* problem.filter or problem.dense */
    const char *variant;         /* what the report calls it; NULL: it does not have it */
    char algorithm[RESULT_NAME]; /* of the CPU's plan */
    char arithmetic[RESULT_NAME];
    uint64_t checksum; /* of the result */
    double seconds;    /* of the last run */
    double wanted;     /* seconds that it should get in this visit */
    int32_t runs_each; /* runs per sample */
    int64_t stated;    /* number of runs that the report states; 0: none */
    double bytes, flop;
    bool as_pixels; /* a planar problem, but the strategy takes only interleaved pixels */
    bool effective; /* it executes fewer operations than `flop` */
    bool replaced;  /* a stage ran another algorithm than the one asked for */
    struct samples scopes[SCOPE_COUNT];
};

bool contender_on_cpu(const struct contender *contender);
/* True for the strategy that Swathe chooses itself. */
bool contender_is_best(const struct contender *contender);

const char *scope_name(enum scope scope);
const char *phase_name(enum phase phase);
const char *result_status_name(enum result_status status);
const char *layout_name(swathe_layout layout);

/* "best on cpu, 2 threads", "toeplitz (ran direct) on cpu, 1 thread", "tiled:runtime:16 (Parallel)
 * on opencl:0" */
void result_label(const struct result *result, char *text, size_t size);
/* "box:9 1000x1000x3 s16 planar reflect" */
void problem_label(const struct problem *problem, char *text, size_t size);

/* False: no memory. */
bool samples_add(struct samples *samples, const struct sample *sample);
/* The median of the wall times; 0 without samples. */
double samples_median(const struct samples *samples);
void samples_free(struct samples *samples);

#endif
