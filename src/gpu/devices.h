/* The devices of all back ends. No driver is touched before the first question. */
#ifndef SWATHE_GPU_DEVICES_H
#define SWATHE_GPU_DEVICES_H

#include "gpu/device.h"

struct gpu_programs;

/* An open device. */
struct gpu_device {
    const struct memory *memory;
    const struct gpu_calls *calls;
    struct gpu_info info;
    void *handle;                  /* the back end's */
    struct gpu_programs *programs; /* compiled ones: gpu/program.h */
    const char *folder;            /* of those on disk: gpu/program_file.h */
};

/* A context's. What was opened stays open until it is destroyed. For any number of threads. */
struct gpu_devices;

/* `programs` is the folder of compiled ones, "off", or NULL: the usual one. */
swathe_status gpu_devices_create(const struct memory *memory, const char *programs,
                                 struct gpu_devices **devices);
/* As it was given. */
const char *gpu_devices_programs(const struct gpu_devices *devices);
/* NULL: nothing. */
void gpu_devices_destroy(struct gpu_devices *devices);

/* "gpu" (the first real GPU that opens), "opencl" (its first GPU, else its first device),
 * "opencl:0", "cuda:1" ...: opens it, or says why not, and what there is. */
swathe_status gpu_devices_open(struct gpu_devices *devices, const char *name,
                               struct gpu_device **device);

/* Is "opencl:0" in use already? Asks no driver. */
bool gpu_devices_is_open(struct gpu_devices *devices, const char *id);

/* What back end `index` has; asks the driver the first time. NULL past the end. */
const struct gpu_list *gpu_devices_list(struct gpu_devices *devices, int index);

#endif
