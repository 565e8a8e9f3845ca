/* Runs the same check on every usable instruction set. */
#ifndef TESTS_EACH_KERNEL_H
#define TESTS_EACH_KERNEL_H

#include "cpu/kernel.h"

#include "../../cli/rng.h"
#include "guarded.h"

/* Checks the kernels of the sums first … last that an instruction set has itself; `check` returns 1
 * after a message if a kernel is wrong. Prints the totals and returns the status for main. */
int each_kernel(enum kernel_sum first, enum kernel_sum last,
                int (*check)(int isa, int id, struct rng *rng));

/* Memory for a row of results, of `bytes` bytes at most. */
struct guarded each_kernel_memory(int64_t bytes);
/* Where a row of `count` samples starts there. Half of them end at the guard page; others start at
 * the one before, or have any alignment: kernels that store without the caches depend on it. */
void *each_kernel_row(const struct guarded *memory, int64_t count, int64_t size, struct rng *rng);
/* Runs a kernel. Returns false after a message if it changed what is behind the rows since the last
 * call, up to their guard pages. */
bool each_kernel_run(int isa, int id, const struct kernel_args *args);

#endif
