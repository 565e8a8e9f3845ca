/* The chain of a problem. */
#ifndef SWATHE_CLI_BENCH_WORKLOAD_H
#define SWATHE_CLI_BENCH_WORKLOAD_H

#include "bench/row.h"

/* A chain, or "dense:K", a full random mask of rank K that nobody gains by factoring, or "blur:K",
 * K x K equal taps as a plain mask. */
swathe_status workload_chain(swathe_context *context, const char *filter, swathe_chain **chain);

swathe_shape workload_shape(const struct problem *problem);

/* Operations by the reports' count, 2 for each tap of the full mask and sample, over all stages. */
double workload_flop(const swathe_chain *chain, const struct problem *problem);
/* Input read once and output written once. */
double workload_bytes(const struct problem *problem);

#endif
