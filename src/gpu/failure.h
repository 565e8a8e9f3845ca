/* What a driver's refusal means for who called: each text names the call, the driver's word for the
 * error, and a way out. */
#ifndef SWATHE_GPU_FAILURE_H
#define SWATHE_GPU_FAILURE_H

#include "gpu/device.h"

enum { FAILURE_NAME = 64 };

/* `memory`: there was too little of it. */
swathe_status failure_of(const char *call, const char *error, bool memory);
swathe_status failure_compile(const char *compiler, const char *error, const char *log);

/* Refuses buffers that the device cannot have. */
swathe_status failure_if_too_large(int64_t bytes, const struct gpu_info *info);

/* "opencl:7" of a back end that has fewer. */
swathe_status failure_no_device(const char *back_end, int32_t index, const struct gpu_list *list);

#endif
