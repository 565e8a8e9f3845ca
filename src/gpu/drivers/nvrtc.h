/* NVIDIA's compiler, which is often not installed together with the driver. */
#ifndef SWATHE_GPU_DRIVERS_NVRTC_H
#define SWATHE_GPU_DRIVERS_NVRTC_H

#include "gpu/drivers/rtc.h"

enum { NVRTC_TARGETS_MAX = 64 };

struct nvrtc {
    struct rtc rtc;
    int target_count, targets[NVRTC_TARGETS_MAX]; /* 86: sm_86 */
};

/* Prefers a version that is not newer than the driver (12040: CUDA 12.4), because the driver may
 * reject the output of a newer one. False with the reason in the note. */
bool nvrtc_find(int driver, struct nvrtc *nvrtc, char *note, size_t size);

/* Compiles for a device of `target`: machine code, or PTX if the device is newer than the
 * compiler. */
swathe_status nvrtc_compile(const struct nvrtc *nvrtc, const struct memory *memory, int target,
                            const char *source, const char *const *options, int32_t count,
                            struct gpu_binary *binary);

#endif
