/* The stages of a plan on a GPU: loaded programs that are ready to launch. */
#ifndef SWATHE_PLAN_ON_GPU_H
#define SWATHE_PLAN_ON_GPU_H

#include "gpu/drivers/devices.h"
#include "gpu/stages/device_stage.h"
#include "plan/device_record.h"

/* A stage of the chain, or a conversion that a strategy inserts between stages. */
enum on_gpu_kind { ON_GPU_FILTER, ON_GPU_PAD, ON_GPU_SPLIT, ON_GPU_JOIN };

struct on_gpu_stage {
    struct gpu_stage stage;
    enum on_gpu_kind kind;
    int32_t op; /* index of the plan's op that it computes, pads the input of, or converts for */
    void *program;
    void *taps; /* device buffer */
};

enum { ON_GPU_STAGES_MAX = 2 * CHAIN_PLANNED_MAX + 2 };

struct on_gpu {
    struct gpu_device *device;
    int32_t count; /* at most ON_GPU_STAGES_MAX */
    struct on_gpu_stage *stages;
    const struct gpu_strategy *strategy;
    bool planar;      /* layout between stages */
    bool host_planar; /* layout of rows that are transferred */
    int64_t memory;   /* bytes of device memory that a run may use */
    bool falls_back;  /* if the device fails, the CPU computes the image */
    bool pageable;    /* transfers use pageable memory */
};

/* Requirements on a device. */
struct on_gpu_request {
    const char *device;   /* "opencl:0"; see gpu_devices_open */
    const char *strategy; /* "tiled:16"; NULL: the default */
    int64_t memory;       /* bytes at most; 0: most of the device's memory */
    bool falls_back;
    bool pageable;
    const struct device_record *checked; /* the device must match this record; NULL: any */
};

/* Opens the device, and compiles and loads the programs. The ops must outlive them. */
swathe_status on_gpu_make(struct arena *arena, struct gpu_devices *devices, const struct op *ops,
                          int32_t count, const struct on_gpu_request *request,
                          struct on_gpu **made);
/* Accepts NULL. */
void on_gpu_free(struct on_gpu *gpu);

#endif
