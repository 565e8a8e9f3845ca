/* Measures the speed of algorithms and devices instead of predicting it. */
#ifndef SWATHE_MEASURE_TUNE_H
#define SWATHE_MEASURE_TUNE_H

#include "base/pool.h"
#include "plan/device_record.h"
#include "plan/plan.h"

/* Measures the candidates of every stage of a plan and stores the times in wisdom, so that the next
 * plan uses the fastest. A failure to write the wisdom file is not an error. */
swathe_status tune_plan(const struct plan_maker *maker, struct pool *pool,
                        const struct chain *chain, const swathe_shape *source,
                        const swathe_plan_options *options);

/* Measures the rates of all algorithms on an instruction set (NULL: the best), and stores them. */
swathe_status tune_machine(const struct plan_maker *maker, struct pool *pool, const char *isa);

/* Measures the times of a device with three kinds of runs: to start, per byte, per multiply-add. */
swathe_status device_measure(const struct plan_maker *maker, struct pool *pool, const char *device,
                             struct device_rates *rates);

#endif
