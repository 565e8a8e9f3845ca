#ifndef SWATHE_PLAN_AUTO_DEVICE_H
#define SWATHE_PLAN_AUTO_DEVICE_H

#include "plan/device_record.h"

/* What a run has to do: bytes to the device and back, multiply-adds there; what the CPU takes. */
struct auto_device_load {
    double bytes, work, cpu_ns;
};

/* Is a device that passed its check predicted to be faster than the CPU? Then `chosen` is its
 * record, else that has no name; `note` says why, a sentence. No driver is touched. */
swathe_status auto_device_choose(const struct memory *memory, struct gpu_devices *devices,
                                 const struct auto_device_load *load, struct device_record *chosen,
                                 char *note, size_t note_size);

#endif
