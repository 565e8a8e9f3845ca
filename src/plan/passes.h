/* Two passes, columns first: what gaussian and box have in common. */
#ifndef SWATHE_PLAN_PASSES_H
#define SWATHE_PLAN_PASSES_H

#include "plan/block.h"

enum { PASSES_GROUP = KERNEL_ACROSS_ROWS }; /* rows of a job, at most */

struct passes {
    struct packed_taps down, across;
    kernel *down_kernel, *across_kernel;
    struct block *down_block; /* instead of down_kernel, or NULL */
    kernel *across_rows;      /* instead of across_kernel, or NULL: floats of all rows at once */
    int32_t middle_size;      /* bytes of a sample between the passes */
    struct kernel_args down_end, across_end; /* add, shift, range … of each pass */
};

int64_t passes_scratch(const struct plan_stage *stage, int64_t count, int32_t step);
void passes_run(const struct row_job *job);

#endif
