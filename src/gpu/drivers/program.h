/* Programs that are ready to launch: compiled, or loaded from memory or disk. */
#ifndef SWATHE_GPU_DRIVERS_PROGRAM_H
#define SWATHE_GPU_DRIVERS_PROGRAM_H

#include "gpu/drivers/device.h"

/* Creates the store of a device's binaries that this process keeps in memory. */
swathe_status gpu_programs_create(const struct memory *memory, struct gpu_programs **programs);
/* NULL is allowed. */
void gpu_programs_destroy(struct gpu_programs *programs);

/* Makes a program ready to launch. Any number of threads may call it. A file on disk is used only
 * if it is complete and the driver accepts it. Failure to write one is not an error. */
swathe_status gpu_program_make(struct gpu_device *device, const char *source,
                               const char *const *options, int32_t count, const char *kernel,
                               const void *constant, int64_t constant_bytes, void **program);

#endif
