/* A stage on a GPU: its kernel, compile options and launch dimensions. */
#ifndef SWATHE_GPU_STAGES_DEVICE_STAGE_H
#define SWATHE_GPU_STAGES_DEVICE_STAGE_H

#include "base/memory.h"
#include "filter/op.h"
#include "gpu/drivers/device.h"
#include "gpu/kernels/device_task.h"

enum { GPU_OPTIONS_MAX = 40 };

/* How thread blocks map to the result. */
enum gpu_shape {
    GPU_SHAPE_BEST,
    GPU_SHAPE_PIXEL,       /* one thread per pixel */
    GPU_SHAPE_PRODUCTS,    /* the same; a thread stores all products of a sample before it adds
                            * them */
    GPU_SHAPE_LINE,        /* one thread per sample, numbered across all rows; channels in z */
    GPU_SHAPE_LINE_PIXELS, /* the same, with one thread per pixel */
    GPU_SHAPE_SAMPLE,      /* one thread per sample; channels in z */
    GPU_SHAPE_COVER,       /* the thread block covers tile and halo; threads inside the halo compute
                            * one pixel each */
    GPU_SHAPE_CACHED,      /* one thread per pixel; the tile is in local memory */
    GPU_SHAPE_QUAD,        /* one thread per pixel; the halo is no larger than the thread block */
    GPU_SHAPE_TILE,        /* one thread per sample; tile and halo are in local memory */
    GPU_SHAPE_TILE_PIXELS, /* one thread per pixel; tile and halo are in local memory */
    GPU_SHAPE_GEMM,        /* one thread per GPU_GEMM_SIDE x GPU_GEMM_SIDE samples */
};
enum { GPU_GEMM_SIDE = 4 };
enum { GPU_RUNTIME_CONSTANT = 64 << 10 }; /* bytes of taps in a program for masks of any size */

/* How kernels read samples outside the image. */
enum gpu_reads {
    GPU_READS_INNER,   /* work groups at an edge look coordinates up in tables, others do not */
    GPU_READS_CHECKED, /* every read is compared with the image's bounds */
    GPU_READS_PADDED,  /* the image is padded with its border before a kernel reads it */
};

/* How an image is transferred to the device, processed and transferred back. */
enum gpu_flow {
    GPU_FLOW_WHOLE,   /* one copy, one launch, one copy back */
    GPU_FLOW_JOINED,  /* the same, of planes that the host joins in one array and separates again */
    GPU_FLOW_EACH,    /* one copy, a launch for each plane, one copy back */
    GPU_FLOW_CONVERT, /* the same, with kernels that split pixels into planes and join them
                       * again */
    GPU_FLOW_TURNS,   /* copy, launch and copy back for each plane in turn, in the same two
                       * buffers */
    GPU_FLOW_SEPARATE, /* a buffer and a copy for each plane, one launch for all planes */
};

/* Ways to compute a dense mask: the entries of strategy.def. The first entry is the production
 * path, "best". */
struct gpu_strategy {
    const char *name, *summary;
    const char *loads; /* one line: what is loaded from which memory */
    const char *kernel;
    enum gpu_shape shape;
    enum gpu_reads reads;
    enum gpu_flow flow;
    int planar;    /* layout on the device: 1: one plane per channel; 0: interleaved; -1: either */
    bool constant; /* taps in constant memory */
    bool down;     /* threads and thread blocks along x follow the rows downwards */
    int32_t block; /* default edge of a thread block */
};
const struct gpu_strategy *gpu_strategy_at(int index); /* NULL past the end */
const struct gpu_strategy *gpu_strategy_named(const char *name);
/* True if each plane has a separate buffer, or if planes take turns in one buffer. */
bool gpu_strategy_is_apart(const struct gpu_strategy *strategy);
/* True if it can be compiled without the sizes of mask and thread block. */
bool gpu_strategy_has_runtime(const struct gpu_strategy *strategy);

struct gpu_choice {
    const struct gpu_strategy *strategy; /* NULL: the production path */
    int32_t block;                       /* edge of a thread block or tile, 8 … 32; 0: default */
    bool planar;                         /* layout of the images on the device */
    bool runtime;                        /* sizes of mask and thread block are known at run time */
};

struct gpu_stage {
    const struct op *op;
    const struct gpu_strategy *strategy;
    bool planar, runtime;
    const char *kernel;                   /* function name in gpu_source() */
    const char *options[GPU_OPTIONS_MAX]; /* of the compiler; part of the program's name */
    int32_t option_count;
    const void *taps; /* for `taps` and, if constant_bytes > 0, for constant memory */
    int64_t tap_bytes, constant_bytes;
    int32_t group[3];     /* threads */
    int32_t tile[3];      /* results of a work group: pixels (or samples) across, rows, planes */
    bool tile_is_samples; /* tile[0] counts samples: an interleaved row is treated as a row of
                           * samples */
    bool is_line;         /* tile[0] counts pixels across all rows */
    bool is_down;         /* the grid's x counts rows */
    bool has_tables;      /* the kernel reads rows[] and columns[] */
    int64_t local_bytes;  /* per work group */
    int64_t given_bytes;  /* of these, which the launch must provide */
    double work;          /* multiply-adds per output sample; launches are bounded by it */
    struct gpu_task task; /* all fields that do not depend on the rectangle */
};

/* The arithmetic that a stage needs on a device, apart from integers. */
struct gpu_needs {
    bool floats, doubles;
};
struct gpu_needs gpu_stage_needs(const struct op *op);

/* Fails with SWATHE_ERROR_UNSUPPORTED if the strategy does not apply; the text names the value, the
 * limit and a way out. The production path accepts every stage. */
swathe_status gpu_stage_make(struct arena *arena, const struct op *op,
                             const struct gpu_choice *choice, const struct gpu_limits *limits,
                             struct gpu_stage *stage);

/* Kernels that copy an image between layouts. */
enum gpu_arranging {
    GPU_ARRANGE_PAD,   /* pads planes with the border of `op`'s input */
    GPU_ARRANGE_SPLIT, /* splits pixels of op's input into planes */
    GPU_ARRANGE_JOIN,  /* joins planes of op's output into pixels */
};
swathe_status gpu_stage_arrange(struct arena *arena, const struct op *op,
                                const struct gpu_strategy *strategy, enum gpu_arranging what,
                                struct gpu_stage *stage);

/* Computes the number of work groups for `rows` rows of a rectangle `width` pixels wide. */
void gpu_stage_grid(const struct gpu_stage *stage, int32_t width, int32_t rows, int32_t grid[3]);

/* The source text of all kernels, with preludes, device_task.h and rounding rules. */
const char *gpu_source(void);

#endif
