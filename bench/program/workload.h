/* The chain of a problem. */
#ifndef SWATHE_BENCH_WORKLOAD_H
#define SWATHE_BENCH_WORKLOAD_H

#include "result.h"

/* A chain, or "dense:K", a dense random mask of rank K, which factoring does not make faster, or
 * "blur:K", a plain mask of K x K equal taps. */
swathe_status workload_chain(swathe_context *context, const char *filter, swathe_chain **chain);

swathe_shape workload_shape(const struct problem *problem);

/* Operations by the reports' count, 2 for each tap of the full mask and sample, over all stages; 0
 * where a mask is too large to be spelled out. */
double workload_flop(const swathe_chain *chain, const swathe_shape *result);
/* A plan of the definition: what comes out (a type= or border=valid of the chain makes it another
 * shape), and what each stage is. */
swathe_status workload_plan(swathe_context *context, const struct problem *problem,
                            const swathe_chain *chain, swathe_plan **plan);
swathe_status workload_result(swathe_context *context, const struct problem *problem,
                              const swathe_chain *chain, swathe_shape *result);
/* Multiply-adds of the definition per sample, over all stages. */
double workload_cost(const swathe_plan *plan);
/* Input read once and output written once; 0: more than can be counted. */
double workload_bytes(const struct problem *problem, const swathe_shape *result);

#endif
