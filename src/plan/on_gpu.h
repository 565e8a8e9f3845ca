/* A plan's stages on a GPU: programs that are ready to launch. */
#ifndef SWATHE_PLAN_ON_GPU_H
#define SWATHE_PLAN_ON_GPU_H

#include "gpu/device_stage.h"
#include "gpu/devices.h"
#include "plan/device_record.h"

/* A stage of the chain, or what a strategy puts between them. */
enum on_gpu_kind { ON_GPU_FILTER, ON_GPU_PAD, ON_GPU_SPLIT, ON_GPU_JOIN };

struct on_gpu_stage {
    struct gpu_stage stage;
    enum on_gpu_kind kind;
    int32_t op; /* of the plan: what it does, pads the input of, or converts for */
    void *program;
    void *taps; /* buffer */
};

enum { ON_GPU_STAGES_MAX = 2 * CHAIN_STAGES_MAX + 2 };

struct on_gpu {
    struct gpu_device *device;
    int32_t count; /* at most ON_GPU_STAGES_MAX */
    struct on_gpu_stage *stages;
    const struct gpu_strategy *strategy;
    bool planar;      /* between stages */
    bool host_planar; /* as rows come and go */
    int64_t memory;   /* bytes that a run may hold there */
    bool falls_back;  /* a device that fails leaves the work to the CPU */
    bool pageable;    /* copies go through ordinary memory */
};

/* What is asked of a device. */
struct on_gpu_request {
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
                          int32_t count, const struct on_gpu_request *request,
                          struct on_gpu **made);
/* NULL: nothing. */
void on_gpu_free(struct on_gpu *gpu);

#endif
