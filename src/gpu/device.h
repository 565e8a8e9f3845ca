/* What a GPU can be asked to do: one table of calls per back end (backend.def), each of which loads
 * its driver at run time. Nothing above this header knows which one it talks to. */
#ifndef SWATHE_GPU_DEVICE_H
#define SWATHE_GPU_DEVICE_H

#include "base/memory.h"

#include <stdbool.h>

enum { GPU_ID = 32, GPU_NAME = 128, GPU_NOTE = 512, GPU_DEVICES_MAX = 32 };

/* What the driver says a device has. */
struct gpu_limits {
    int64_t memory, largest; /* bytes: all of it, of one buffer */
    int64_t local, constant; /* bytes: of a group, of taps in constant memory */
    int32_t group;           /* threads of a group */
    int32_t group_side[3];
    int64_t grid[3];     /* groups */
    bool fma, denormals; /* of floats: without both, no exact mode */
    bool shares_memory;  /* with the host: copies can be left out */
    bool dot4;           /* four 8-bit products in one instruction */
};

struct gpu_info {
    const char *back_end;    /* "opencl" */
    int32_t index;           /* within it */
    char id[GPU_ID];         /* both: "opencl:0"; gpu/devices.c writes it */
    bool is_gpu;             /* else the CPU behind an OpenCL driver, or something else */
    char name[GPU_NAME];     /* as the driver calls it */
    char driver[GPU_NAME];   /* version: part of what names a compiled program */
    char location[GPU_NAME]; /* "0000:01:00.0": one card seen twice is one card; "" unknown */
    char target[GPU_NAME];   /* what to compile for: "sm_86", "gfx1030"; "" for OpenCL */
    char same[GPU_ID];       /* "cuda:0": this card, where it was listed before; "" nowhere */
    struct gpu_limits limits;
};

/* A back end's devices, or in `note` why it has none. Never a failure. */
struct gpu_list {
    int32_t count;
    struct gpu_info devices[GPU_DEVICES_MAX];
    char note[GPU_NOTE];
};

/* A compiled program, as the driver loads it and as it is kept on disk. */
struct gpu_binary {
    void *data; /* of memory_new */
    int64_t size;
};

/* Scalars that every kernel gets, all 32-bit: the same struct in C and in kernels/device_job.h. */
struct gpu_job;

enum { GPU_PLANES_MAX = 4 }; /* that have buffers of their own */

/* One launch of a kernel. Every kernel has the same arguments, in this order: in, out, taps, rows,
 * columns, job; then in and out of planes 1, 2, … where each has a buffer; in OpenCL then the
 * constant memory. */
struct gpu_launch {
    void *in, *out, *taps, *rows, *columns; /* buffers */
    const struct gpu_job *job;
    int32_t grid[3]; /* groups */
    int32_t group[3];
    void *planes[2 * (GPU_PLANES_MAX - 1)];
    int32_t plane_buffers; /* of `planes`, in use */
};

struct gpu_calls {
    void (*list)(struct gpu_list *list);
    swathe_status (*open)(const struct memory *memory, int32_t index, void **device);
    void (*close)(void *device);

    /* The driver's own compiler; `options` are "-DNAME=VALUE" and so on, `count` of them, the back
     * end adds those that its arithmetic needs. A failure's text ends with the compiler's log. */
    swathe_status (*compile)(void *device, const char *source, const char *const *options,
                             int32_t count, struct gpu_binary *binary);
    /* Ready to launch, with `constant` in its constant memory (size 0: none). */
    swathe_status (*load)(void *device, const struct gpu_binary *binary, const char *kernel,
                          const void *constant, int64_t size, void **program);
    void (*unload)(void *device, void *program);
    /* Threads of a group that this kernel can have here. */
    int32_t (*group_most)(void *device, void *program);

    swathe_status (*new_buffer)(void *device, int64_t bytes, void **buffer);
    void (*free_buffer)(void *device, void *buffer);
    /* Host memory that is copied from and to without a detour, page-aligned. */
    swathe_status (*new_host)(void *device, int64_t bytes, void **host);
    void (*free_host)(void *device, void *host);

    /* A queue does one thing after another; queues overlap. All but finish return at once; host
     * memory must stay as it is until finish, which reports whatever failed before. */
    swathe_status (*new_queue)(void *device, void **queue);
    void (*free_queue)(void *device, void *queue);
    swathe_status (*upload)(void *queue, void *buffer, int64_t offset, const void *host,
                            int64_t bytes);
    swathe_status (*download)(void *queue, void *buffer, int64_t offset, void *host, int64_t bytes);
    swathe_status (*launch)(void *queue, void *program, const struct gpu_launch *launch);
    swathe_status (*finish)(void *queue);
};

struct gpu_back_end {
    const char *name, *summary;
    const struct gpu_calls *calls;
};

/* NULL past the end. One card seen through several is used through the first. */
const struct gpu_back_end *gpu_back_end_at(int index);
const struct gpu_back_end *gpu_back_end_named(const char *name);

#if SWATHE_TESTS
/* Puts other calls in the place of a back end's, for all that is opened afterwards; NULL: its own
 * again. Not while other threads use devices. */
void gpu_back_end_wrap(const char *name, const struct gpu_calls *calls);
#endif

#endif
