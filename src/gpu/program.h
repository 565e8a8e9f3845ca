/* Programs that are ready to launch: compiled, or taken from memory or disk. */
#ifndef SWATHE_GPU_PROGRAM_H
#define SWATHE_GPU_PROGRAM_H

#include "gpu/devices.h"

/* Binaries that this process has already, of one device. */
swathe_status gpu_programs_create(const struct memory *memory, struct gpu_programs **programs);
/* NULL: nothing. */
void gpu_programs_destroy(struct gpu_programs *programs);

/* For any number of threads. What is on disk is used only where it is whole and the driver takes
 * it; that a program cannot be kept there is no failure. */
swathe_status gpu_program_make(struct gpu_device *device, const char *source,
                               const char *const *options, int32_t count, const char *kernel,
                               const void *constant, int64_t constant_bytes, void **program);

#endif
