/* Measures the speed of algorithms instead of predicting it. */
#ifndef SWATHE_MEASURE_TUNE_H
#define SWATHE_MEASURE_TUNE_H

#include "base/pool.h"
#include "plan/plan.h"

/* Measures the candidates of every stage of a plan and stores the times in wisdom, so that the next
 * plan uses the fastest. A failure to write the wisdom file is not an error. */
swathe_status tune_plan(const struct plan_maker *maker, struct pool *pool,
                        const struct chain *chain, const swathe_shape *source,
                        const swathe_plan_options *options);

/* Measures the rates of all algorithms on an instruction set (NULL: the best), and stores them. */
swathe_status tune_machine(const struct plan_maker *maker, struct pool *pool, const char *isa);

#endif
