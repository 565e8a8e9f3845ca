/* The calls and the name of each back end. */
#ifndef SWATHE_GPU_DRIVERS_BACKEND_H
#define SWATHE_GPU_DRIVERS_BACKEND_H

#include "gpu/drivers/device.h"

#define BACK_END(id, name, summary)                                                                \
    extern const struct gpu_calls gpu_calls_##id;                                                  \
    extern const char gpu_name_##id[];
#include "gpu/drivers/backend.def"
#undef BACK_END

#endif
