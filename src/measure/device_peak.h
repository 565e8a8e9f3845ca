/* The peaks of a device, measured on it. */
#ifndef SWATHE_MEASURE_DEVICE_PEAK_H
#define SWATHE_MEASURE_DEVICE_PEAK_H

#include "gpu/drivers/device.h"

struct device_peak {
    double copy_gbs;   /* 10^9 bytes read and written per second */
    double fma_gflops; /* 10^9 f32 operations per second; a multiply-add counts as two */
};

/* Takes about a second. Fails if the device is too small. */
swathe_status device_peak(struct gpu_device *device, struct device_peak *peak);

#endif
