/* A plan's stages on a GPU: programs that are ready to launch. */
#ifndef SWATHE_PLAN_ON_GPU_H
#define SWATHE_PLAN_ON_GPU_H

#include "gpu/device_stage.h"
#include "gpu/devices.h"
#include "plan/device_record.h"

struct on_gpu_stage {
    struct gpu_stage stage;
    void *program;
    void *taps; /* buffer */
};

struct on_gpu {
    struct gpu_device *device;
    int32_t count;
    struct on_gpu_stage *stages;
    bool planar;
    int64_t memory;  /* bytes that a run may hold there */
    bool falls_back; /* a device that fails leaves the work to the CPU */
    bool pageable;   /* copies go through ordinary memory */
};

/* What is asked of a device. */
struct on_gpu_wish {
    const char *device;   /* "opencl:0"; as gpu_devices_open takes it */
    const char *strategy; /* "tiled:16", or NULL */
    int64_t memory;       /* bytes at most; 0: most of what it has */
    bool planar;          /* where the strategy has no layout of its own */
    bool falls_back;
    bool pageable;
    const struct device_record *checked; /* it must still be this one; NULL: any */
};

/* Opens the device, compiles and loads. Ops must live as long. */
swathe_status on_gpu_make(struct arena *arena, struct gpu_devices *devices, const struct op *ops,
                          int32_t count, const struct on_gpu_wish *wish, struct on_gpu **made);
/* NULL: nothing. */
void on_gpu_free(struct on_gpu *gpu);

#endif
