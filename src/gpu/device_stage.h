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
    GPU_SHAPE_PRODUCTS,    /* the same; it keeps all products of a sample before it adds them */
    GPU_SHAPE_LINE,        /* a thread per sample, in one line over all rows; channels in z */
    GPU_SHAPE_LINE_PIXELS, /* the same, a thread per pixel */
    GPU_SHAPE_COLUMN,      /* a thread per sample, threads and blocks below each other */
    GPU_SHAPE_COVER,       /* the block less the halo makes a pixel a thread */
    GPU_SHAPE_CACHED,      /* a thread per pixel; the block is in local memory */
    GPU_SHAPE_QUAD,        /* a thread per pixel; the halo is at most a block */
    GPU_SHAPE_TILE,        /* a thread per sample; block and halo are in local memory */
    GPU_SHAPE_TILE_PIXELS, /* a thread per pixel; the same */
    GPU_SHAPE_GEMM,        /* a thread per GPU_GEMM_SIDE x GPU_GEMM_SIDE samples */
};
enum { GPU_GEMM_SIDE = 4 };

/* How samples outside the image are met. */
enum gpu_reads {
    GPU_READS_INNER,   /* groups at an edge go through tables, others do not look */
    GPU_READS_CHECKED, /* every read is compared with the image's bounds */
    GPU_READS_PADDED,  /* the image has its border around it before a kernel sees it */
};

/* How an image comes to the kernels and back. */
enum gpu_flow {
    GPU_FLOW_WHOLE,    /* one copy, one launch, one copy back */
    GPU_FLOW_EACH,     /* one copy, a launch for each plane, one copy back */
    GPU_FLOW_CONVERT,  /* the same, of pixels that a kernel takes apart and another joins */
    GPU_FLOW_TURNS,    /* all three for each plane in turn, in the same two buffers */
    GPU_FLOW_SEPARATE, /* a buffer and a copy for each plane, one launch for all */
};

/* Ways to do it: rows of strategy.def. The first row is the production path, "best". */
struct gpu_strategy {
    const char *name, *summary;
    const char *loads; /* what it reads from where, one line */
    const char *kernel;
    enum gpu_shape shape;
    enum gpu_reads reads;
    enum gpu_flow flow;
    int planar;    /* on the device; 1: one plane per channel; 0: interleaved; -1: either */
    bool constant; /* taps in constant memory */
    int32_t block; /* the usual edge */
};
const struct gpu_strategy *gpu_strategy_at(int index); /* NULL past the end */
const struct gpu_strategy *gpu_strategy_named(const char *name);
/* Do planes have buffers of their own, or take turns in one? */
bool gpu_strategy_is_apart(const struct gpu_strategy *strategy);

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
    bool is_column;       /* the grid's x counts rows */
    bool has_tables;      /* it reads rows[] and columns[] */
    int64_t local_bytes;  /* of a group */
    double work;          /* multiply-adds per output sample, for bounded launches */
    struct gpu_job job;   /* all that does not depend on the rectangle */
};

/* Refuses with the reason (SWATHE_ERROR_UNSUPPORTED) where a strategy does not apply: it names the
 * value, the limit and the way out. The production path takes every stage. */
swathe_status gpu_stage_make(struct arena *arena, const struct op *op,
                             const struct gpu_choice *choice, const struct gpu_limits *limits,
                             struct gpu_stage *stage);

/* What copies an image between layouts. */
enum gpu_arranging {
    GPU_ARRANGE_PAD,   /* puts the border of `op`'s input around planes */
    GPU_ARRANGE_SPLIT, /* pixels of op's input to planes */
    GPU_ARRANGE_JOIN,  /* planes of op's output to pixels */
};
swathe_status gpu_stage_arrange(struct arena *arena, const struct op *op,
                                const struct gpu_strategy *strategy, enum gpu_arranging what,
                                struct gpu_stage *stage);

/* Groups for rows first_y … last_y of a rectangle `width` pixels wide. */
void gpu_stage_grid(const struct gpu_stage *stage, int32_t width, int32_t rows, int32_t grid[3]);

/* The text of all kernels: preludes, device_job.h and rounding rules included. */
const char *gpu_source(void);

#endif
