/* The chain of a problem, and its cost. */
#ifndef SWATHE_BENCH_WORKLOAD_H
#define SWATHE_BENCH_WORKLOAD_H

#include "result.h"

/* Parses a chain, "dense:K", a dense random mask of rank K, which cannot be factored, or "blur:K",
 * a dense mask of K x K equal taps. */
swathe_status workload_chain(swathe_context *context, const char *filter, swathe_chain **chain);

swathe_shape workload_shape(const struct problem *problem);

/* Operations as the reports count them: 2 for each tap of the full mask and each sample, over all
 * stages; 0 if a mask is too large to be expanded. */
double workload_flop(const swathe_chain *chain, const swathe_shape *result);
/* The plan of the definition, and the shape of its result: type= or border=valid in the chain
 * change it. */
swathe_status workload_plan(swathe_context *context, const struct problem *problem,
                            const swathe_chain *chain, swathe_plan **plan);
swathe_status workload_result(swathe_context *context, const struct problem *problem,
                              const swathe_chain *chain, swathe_shape *result);
/* Multiply-adds of the definition per sample, over all stages. */
double workload_cost(const swathe_plan *plan);
/* Bytes of the input and the output together; 0 if they exceed 2^63. */
double workload_bytes(const struct problem *problem, const swathe_shape *result);

#endif
