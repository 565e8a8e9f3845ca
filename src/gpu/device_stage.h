/* A stage on a GPU: which kernel, compiled how, launched how. */
#ifndef SWATHE_GPU_STAGE_H
#define SWATHE_GPU_STAGE_H

#include "base/arena.h"
#include "filter/op.h"
#include "gpu/device.h"
#include "gpu/kernels/device_job.h"

enum { GPU_OPTIONS_MAX = 40 };

/* How blocks of threads lie over the result. */
enum gpu_shape {
    GPU_SHAPE_BEST,
    GPU_SHAPE_PIXEL,       /* a thread per pixel */
    GPU_SHAPE_SAMPLE,      /* a thread per sample, channels in the grid's z */
    GPU_SHAPE_LINE,        /* the same, threads in one line over all rows */
    GPU_SHAPE_COVER,       /* the block less the halo makes a pixel a thread */
    GPU_SHAPE_CACHED,      /* a thread per pixel; the block is in local memory */
    GPU_SHAPE_QUAD,        /* a thread per pixel; the halo is at most a block */
    GPU_SHAPE_TILE,        /* a thread per sample; block and halo are in local memory */
    GPU_SHAPE_TILE_PIXELS, /* a thread per pixel; the same */
};

/* Ways to do it: rows of strategy.def. The first row is the production path, "best". */
struct gpu_strategy {
    const char *name, *summary;
    const char *loads; /* what it reads from where, one line */
    int planar;        /* 1: one plane per channel; 0: interleaved; -1: either */
    const char *kernel;
    enum gpu_shape shape;
    bool constant; /* taps in constant memory */
    int32_t block; /* the usual edge */
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
    bool is_line;         /* tile[0] counts pixels of all rows, one after another */
    int64_t local_bytes;  /* of a group */
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

/* The text of all kernels: preludes, device_job.h and rounding rules included. */
const char *gpu_source(void);

#endif
