#ifndef SWATHE_RUN_DEVICE_MEASURE_H
#define SWATHE_RUN_DEVICE_MEASURE_H

#include "base/pool.h"
#include "plan/device_record.h"
#include "plan/plan.h"

/* Measures the time to start a device, per byte and per multiply-add, with three kinds of runs. */
swathe_status device_measure(const struct plan_maker *maker, struct pool *pool, const char *device,
                             struct device_rates *rates);

#endif
