/* The devices that the agenda names, as their drivers call them. */
#ifndef SWATHE_BENCH_DEVICES_ASKED_H
#define SWATHE_BENCH_DEVICES_ASKED_H

#include "bench_run.h"

struct device_asked {
    char id[RESULT_NAME], name[256], driver[256];
    bool software; /* an OpenCL driver of the CPU: its times rank nothing on a GPU */
};

/* Device `index`, from 0; false past the end. */
bool devices_asked(const struct bench_run *run, int index, struct device_asked *device);

#endif
