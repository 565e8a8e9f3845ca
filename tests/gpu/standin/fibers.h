/* Runs a grid of work groups in the calling thread. */
#ifndef TESTS_GPU_STANDIN_FIBERS_H
#define TESTS_GPU_STANDIN_FIBERS_H

#include "gpu/kernels/device_task.h"

/* Kernels without separate planes ignore the arguments after the task. */
typedef void fiber_kernel(const void *, void *, const void *, const int *, const int *,
                          struct gpu_task, const void *, void *, const void *, void *, const void *,
                          void *);
enum { FIBER_BUFFERS = 5, FIBER_PLANES = 6 };

struct fiber_dim {
    unsigned x, y, z;
};

struct fiber_launch {
    fiber_kernel *kernel;
    struct fiber_dim *dims; /* thread-local variables of the module: thread, work group, sizes of
                             * both */
    struct fiber_dim grid, group;
    void *buffers[FIBER_BUFFERS], *planes[FIBER_PLANES];
    struct gpu_task task;
};

/* Returns 0, or -1 if memory cannot be allocated. */
int fiber_run(const struct fiber_launch *launch);
/* Called by kernels at a barrier. */
void fiber_barrier(void);

#endif
