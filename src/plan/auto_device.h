#ifndef SWATHE_PLAN_AUTO_DEVICE_H
#define SWATHE_PLAN_AUTO_DEVICE_H

#include "plan/device_record.h"

/* The load of a run: bytes to and from the device, multiply-adds on it, and the predicted time on
 * the CPU. */
struct auto_device_load {
    double bytes, work, cpu_ns;
};

/* Is a device that passed its check predicted to be faster than the CPU? If so, `chosen` is its
 * record; otherwise chosen->device is empty. `note` is set to one sentence that gives the reason.
 * No driver is loaded. */
swathe_status auto_device_choose(const struct memory *memory, struct gpu_devices *devices,
                                 const struct auto_device_load *load, struct device_record *chosen,
                                 char *note, size_t note_size);

#endif
