/* Measuring instead of predicting. */
#ifndef SWATHE_RUN_TUNE_H
#define SWATHE_RUN_TUNE_H

#include "base/pool.h"
#include "plan/plan.h"

/* Measures the candidates of every stage of a plan and tells wisdom, so that the plan that is made
 * next takes the fastest. Not to be able to write that down is no error. */
swathe_status tune_plan(const struct plan_maker *maker, struct pool *pool,
                        const struct chain *chain, const swathe_shape *source,
                        const swathe_plan_options *options);

/* Measures the rates of all algorithms on an instruction set (NULL: the best), and writes them
 * down. */
swathe_status tune_machine(const struct plan_maker *maker, struct pool *pool, const char *isa);

#endif
