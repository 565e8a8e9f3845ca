#ifndef SWATHE_PLAN_DEVICES_SHOW_H
#define SWATHE_PLAN_DEVICES_SHOW_H

#include "gpu/devices.h"

/* Queries every driver. Writes at most `size` bytes; `needed` may be NULL. */
swathe_status devices_show(struct gpu_devices *devices, bool json, char *text, size_t size,
                           size_t *needed);

#endif
