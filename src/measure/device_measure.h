#ifndef SWATHE_MEASURE_DEVICE_MEASURE_H
#define SWATHE_MEASURE_DEVICE_MEASURE_H

#include "base/pool.h"
#include "plan/device_record.h"
#include "plan/plan.h"

/* Measures the times of a device with three kinds of runs: to start, per byte, per multiply-add. */
swathe_status device_measure(const struct plan_maker *maker, struct pool *pool, const char *device,
                             struct device_rates *rates);

#endif
