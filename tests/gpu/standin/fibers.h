/* Runs a grid of groups of threads in the calling thread. */
#ifndef TESTS_GPU_STANDIN_FIBERS_H
#define TESTS_GPU_STANDIN_FIBERS_H

#include "gpu/kernels/device_job.h"

/* Kernels without planes of their own do not look at what comes after the job. */
typedef void fiber_kernel(const void *, void *, const void *, const int *, const int *,
                          struct gpu_job, const void *, void *, const void *, void *, const void *,
                          void *);
enum { FIBER_BUFFERS = 5, FIBER_PLANES = 6 };

struct fiber_dim {
    unsigned x, y, z;
};

struct fiber_launch {
    fiber_kernel *kernel;
    struct fiber_dim *dims; /* of the module, this thread's: thread, group, sizes of both */
    struct fiber_dim grid, group;
    void *buffers[FIBER_BUFFERS], *planes[FIBER_PLANES];
    struct gpu_job job;
};

/* 0, or -1 where there is no memory for it. */
int fiber_run(const struct fiber_launch *launch);
/* What kernels call at a barrier. */
void fiber_barrier(void);

#endif
