/* Checks that a device gives the same bytes as the CPU. */
#ifndef SWATHE_CLI_DEVICES_DEVICE_CHECK_H
#define SWATHE_CLI_DEVICES_DEVICE_CHECK_H

#include "swathe/unstable.h"

struct device_check {
    swathe_context *context;
    const char *device;
    const char *strategy; /* NULL: all */
    int64_t problems, seed;
    const char *repeat; /* one problem, as printed by a failure; NULL: random problems */
};

/* Prints a report. Returns the exit code. */
int device_check(const struct device_check *check);

#endif
