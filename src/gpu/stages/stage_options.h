/* Compile options of a program, such as "-DNAME=VALUE", allocated in the arena. */
#ifndef SWATHE_GPU_STAGES_STAGE_OPTIONS_H
#define SWATHE_GPU_STAGES_STAGE_OPTIONS_H

#include "gpu/stages/device_stage.h"

/* The size of the mask as the kernels see it: the bounding box of all masks of a stage. */
struct stage_box {
    int32_t width, height; /* taps */
    int32_t halo_x, halo_y;
    int32_t step; /* samples from one pixel to the next */
};
struct stage_box stage_box(const struct gpu_stage *stage);

/* Bytes of a tap, and of a sample in arithmetic: 8 for doubles, otherwise 4. */
int32_t stage_real_size(const struct op *op);
/* Are sums integers? */
bool stage_is_integer(const struct op *op);
/* Does a table say where each channel of the result comes from? */
bool stage_is_mapped(const struct op *op);
/* Is a pixel computed from the samples of the same pixel only? */
bool stage_is_pixel(const struct op *op);

swathe_status stage_option(struct arena *arena, struct gpu_stage *stage, const char *name,
                           int64_t value);
/* Selects the kernel. */
swathe_status stage_kernel(struct arena *arena, struct gpu_stage *stage, const char *kernel);
/* Adds the options that define what is computed, for every kernel. */
swathe_status stage_describe(struct arena *arena, struct gpu_stage *stage);

/* Sets the border's constant value. */
void stage_fill(const struct op *op, double value, struct gpu_task *task);

/* Lays out the taps as a kernel reads them. With `headers`, each mask has a header and its own
 * size. Otherwise a single mask has no header, and several masks have headers and are padded to the
 * box. */
swathe_status stage_taps(struct arena *arena, struct gpu_stage *stage, bool headers);
/* Moves the taps to constant memory. */
swathe_status stage_constant(struct arena *arena, struct gpu_stage *stage);

/* Chooses the kernel and tiles of the production path. */
swathe_status stage_best(struct arena *arena, const struct gpu_limits *limits,
                         struct gpu_stage *stage);
/* The part of the production path for stages that stage_is_pixel() names. */
swathe_status stage_pixel(struct arena *arena, const struct gpu_limits *limits,
                          struct gpu_stage *stage);
/* Sets up any other strategy. */
swathe_status stage_strategy(struct arena *arena, int32_t block, const struct gpu_limits *limits,
                             struct gpu_stage *stage);

#endif
