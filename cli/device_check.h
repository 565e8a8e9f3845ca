/* Does a device give the CPU's bytes? */
#ifndef SWATHE_CLI_DEVICE_CHECK_H
#define SWATHE_CLI_DEVICE_CHECK_H

#include "swathe/swathe.h"

struct device_check {
    swathe_context *context;
    const char *device;
    const char *strategy; /* NULL: all */
    int64_t problems, seed;
    const char *repeat; /* one problem, as a failure printed it; or NULL */
};

/* Prints a report; the exit code. */
int device_check(const struct device_check *check);

#endif
