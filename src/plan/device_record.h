/* The devices that passed a check on this machine, and their speeds: a small file in the user's
 * cache directory, so that `auto` can decide before any driver is loaded. */
#ifndef SWATHE_PLAN_DEVICE_RECORD_H
#define SWATHE_PLAN_DEVICE_RECORD_H

#include "gpu/drivers/devices.h"

/* Nanoseconds. open: to load the driver, open the device and load a program that is cached on disk.
 * start: per run. byte: per byte in or out. work: per multiply-add. */
struct device_rates {
    double open, start, byte, work;
};

struct device_record {
    char device[GPU_NAME], name[GPU_NAME], driver[GPU_NAME];
    struct device_rates rates;
};

enum { DEVICE_RECORDS_MAX = 32 };

struct device_records {
    int32_t count;
    struct device_record list[DEVICE_RECORDS_MAX];
};

/* `records` is empty if there is no usable file. */
swathe_status device_records_read(const struct memory *memory, struct device_records *records);
/* Adds or replaces the record of a device, or removes it. */
swathe_status device_records_set(const struct memory *memory, const struct device_record *record,
                                 bool passed);

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
