/* Which devices passed a check on this machine, and how fast they are: a small file in the user's
 * cache folder, so that `auto` can decide before any driver is touched. */
#ifndef SWATHE_PLAN_DEVICE_RECORD_H
#define SWATHE_PLAN_DEVICE_RECORD_H

#include "gpu/devices.h"

/* Nanoseconds: to load the driver, open the device and have a program that is on disk already; of a
 * run to start it, for each byte in or out, for each multiply-add. */
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

/* None where there is no file, or none that can be used. */
swathe_status device_records_read(const struct memory *memory, struct device_records *records);
/* Puts a device in its place, or takes it out. */
swathe_status device_records_set(const struct memory *memory, const struct device_record *record,
                                 bool passed);

#endif
