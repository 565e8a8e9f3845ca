/* The devices of all back ends. No driver is loaded before the first query. */
#ifndef SWATHE_GPU_DRIVERS_DEVICES_H
#define SWATHE_GPU_DRIVERS_DEVICES_H

#include "gpu/drivers/device.h"

/* The devices of a context. Opened devices stay open until the context is destroyed. Any number of
 * threads may use it. */
struct gpu_devices;

/* `programs` is the directory of compiled programs, "off", or NULL for the default directory. */
swathe_status gpu_devices_create(const struct memory *memory, const char *programs,
                                 struct gpu_devices **devices);
/* `programs`, as passed to gpu_devices_create. */
const char *gpu_devices_programs(const struct gpu_devices *devices);
/* NULL is allowed. */
void gpu_devices_destroy(struct gpu_devices *devices);

/* Opens "gpu" (the first real GPU that opens), "opencl" (its first GPU, or its first device if
 * there is none), "opencl:0", "cuda:1" and so on. An error text gives the reason and lists the
 * devices. */
swathe_status gpu_devices_open(struct gpu_devices *devices, const char *name,
                               struct gpu_device **device);

/* False in a child of fork, which must not call the driver of a device that it inherited. */
bool gpu_device_is_usable(const struct gpu_device *device);

/* True if "opencl:0" is already open. Calls no driver. */
bool gpu_devices_is_open(struct gpu_devices *devices, const char *id);

/* The devices of back end `index`; the first call queries the driver. NULL past the end. */
const struct gpu_list *gpu_devices_list(struct gpu_devices *devices, int index);

#endif
