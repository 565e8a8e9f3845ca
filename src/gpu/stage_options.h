/* Options of a program: "-DNAME=VALUE", kept in the arena. */
#ifndef SWATHE_GPU_STAGE_OPTIONS_H
#define SWATHE_GPU_STAGE_OPTIONS_H

#include "gpu/device_stage.h"

/* The mask's sizes as the kernels see them: all masks of a stage in one box. */
struct stage_box {
    int32_t width, height; /* taps */
    int32_t halo_x, halo_y;
    int32_t step; /* samples between pixels */
};
struct stage_box stage_box(const struct gpu_stage *stage);

swathe_status stage_option(struct arena *arena, struct gpu_stage *stage, const char *name,
                           int64_t value);
/* Which kernel it is. */
swathe_status stage_kernel(struct arena *arena, struct gpu_stage *stage, const char *kernel);
/* Whatever says what is computed, for every kernel. */
swathe_status stage_describe(struct arena *arena, struct gpu_stage *stage);

/* Taps as a kernel reads them; `headers`: a header for each mask, and each in its own size; else
 * one mask as it is, or headers and all masks in the box. */
swathe_status stage_taps(struct arena *arena, struct gpu_stage *stage, bool headers);
/* They go to constant memory. */
swathe_status stage_constant(struct arena *arena, struct gpu_stage *stage);

/* The production path. */
swathe_status stage_best(struct arena *arena, const struct gpu_limits *limits,
                         struct gpu_stage *stage);
/* One of the others. */
swathe_status stage_strategy(struct arena *arena, int32_t block, const struct gpu_limits *limits,
                             struct gpu_stage *stage);

#endif
