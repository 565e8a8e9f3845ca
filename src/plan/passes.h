/* Two passes, columns first: what gaussian and masks that factor have in common. */
#ifndef SWATHE_PLAN_PASSES_H
#define SWATHE_PLAN_PASSES_H

#include "plan/multirow.h"

enum { PASSES_GROUP = KERNEL_ACROSS_ROWS }; /* rows of a job, at most */

/* Sums of the two passes, and what stands between them. */
struct pass_types {
    enum kernel_sum down, across;
    const char *middle;
    int32_t middle_size; /* bytes of a sample */
};

/* Of one mask. A stage that has one for each channel keeps an array of them. */
struct passes {
    struct packed_taps down, across;
    kernel *down_kernel, *across_kernel;
    struct multirow *down_multirow; /* instead of down_kernel, or NULL */
    kernel *across_rows; /* instead of across_kernel, or NULL: floats of all rows at once */
    int32_t middle_size;
    struct kernel_args down_end, across_end; /* add, shift, range … of each pass */
};

/* From the taps of both passes; also sets the stage's group and chunk. */
swathe_status passes_make(struct arena *arena, const struct pass_types *types,
                          const struct op_taps *down, const struct op_taps *across, int isa,
                          struct plan_stage *stage, struct passes *passes);

int64_t passes_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step);
void passes_run(const struct row_job *job);

#endif
