/* A stage on a GPU: which kernel, compiled how, launched how. */
#ifndef SWATHE_GPU_STAGE_H
#define SWATHE_GPU_STAGE_H

#include "base/arena.h"
#include "filter/op.h"
#include "gpu/device.h"
#include "gpu/kernels/job.h"

enum { GPU_OPTIONS_MAX = 40 };

/* Ways to do it: rows of strategy.def. The first row is the production path, "best". */
struct gpu_strategy {
    const char *name, *summary;
    const char *loads; /* what it reads from where, one line */
    int planar;        /* 1: one plane per channel; 0: interleaved; -1: either */
};
const struct gpu_strategy *gpu_strategy_at(int index); /* NULL past the end */
const struct gpu_strategy *gpu_strategy_named(const char *name);

struct gpu_choice {
    const struct gpu_strategy *strategy; /* NULL: the production path */
    int32_t block;                       /* edge of a block or tile, 8 … 32; 0: its default */
    bool planar;                         /* layout that the images have on the device */
};

struct gpu_stage {
    const struct op *op;
    const struct gpu_strategy *strategy;
    bool planar;
    const char *kernel;                   /* its name in gpu_source() */
    const char *options[GPU_OPTIONS_MAX]; /* to compile it with; they name the program */
    int32_t option_count;
    const void *taps; /* for `taps` and, where constant_bytes > 0, for constant memory */
    int64_t tap_bytes, constant_bytes;
    int32_t group[3];     /* threads */
    int32_t tile[3];      /* what a group makes: pixels (or samples) across, rows, planes */
    bool tile_is_samples; /* tile[0] counts samples: interleaved rows seen as one */
    double work;          /* multiply-adds per output sample, for bounded launches */
    struct gpu_job job;   /* all that does not depend on the rectangle */
};

/* Refuses with the reason (SWATHE_ERROR_UNSUPPORTED) where a strategy does not apply: it names the
 * value, the limit and the way out. The production path takes every stage. */
swathe_status gpu_stage_make(struct arena *arena, const struct op *op,
                             const struct gpu_choice *choice, const struct gpu_limits *limits,
                             struct gpu_stage *stage);

/* Groups for rows first_y … last_y of a rectangle `width` pixels wide. */
void gpu_stage_grid(const struct gpu_stage *stage, int32_t width, int32_t rows, int32_t grid[3]);

/* The text of all kernels: preludes, job.h and rounding rules included. */
const char *gpu_source(void);

#endif
