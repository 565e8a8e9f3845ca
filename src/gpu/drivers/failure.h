/* Errors of drivers as statuses. Each text names the call, the driver's name for the error, and a
 * way out. */
#ifndef SWATHE_GPU_DRIVERS_FAILURE_H
#define SWATHE_GPU_DRIVERS_FAILURE_H

#include "gpu/drivers/device.h"

enum { FAILURE_NAME = 64 };

/* `memory`: the device was out of memory. */
swathe_status failure_of(const char *call, const char *error, bool memory);
swathe_status failure_compile(const char *compiler, const char *error, const char *log);

/* Fails if the device cannot allocate a buffer of this size. */
swathe_status failure_if_too_large(int64_t bytes, const struct gpu_info *info);

/* Fails because the back end has no device of this index, as in "opencl:7". */
swathe_status failure_no_device(const char *back_end, int32_t index, const struct gpu_list *list);

#endif
