/* Two passes, vertical first: shared by gaussian and masks that factor. */
#ifndef SWATHE_PLAN_PASSES_H
#define SWATHE_PLAN_PASSES_H

#include "plan/multirow.h"

enum { PASSES_GROUP = KERNEL_ACROSS_ROWS }; /* rows of a job, at most */

/* Kernels of the two passes, and the type between them. */
struct pass_types {
    enum kernel_sum down, across;
    const char *middle;
    int32_t middle_size; /* bytes of a sample */
};

/* The passes of one mask. A stage with one mask per channel has an array of them. */
struct passes {
    struct packed_taps down, across;
    kernel *down_kernel, *across_kernel;
    struct multirow *down_multirow; /* replaces down_kernel; NULL: none */
    kernel *across_rows; /* replaces across_kernel, for floats of all rows at once; NULL: none */
    kernel *both;        /* replaces all of these for floats; NULL: none */
    int both_isa;
    uint8_t *both_taps;
    int32_t middle_size;
    struct kernel_args down_end, across_end; /* final arguments of each pass: add, shift, range … */
};

/* Prepares both passes from their taps. Also sets the stage's group and chunk. */
swathe_status passes_make(struct arena *arena, const struct pass_types *types,
                          const struct op_taps *down, const struct op_taps *across, int isa,
                          struct plan_stage *stage, struct passes *passes);

/* Lets one kernel apply both passes of floats, if their taps allow it. */
swathe_status passes_fuse(struct arena *arena, enum kernel_sum sum, int isa,
                          struct plan_stage *stage, struct passes *passes);

int64_t passes_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step);
void passes_run(const struct row_job *job);
/* Runs a kernel of both passes for the rows of a job, as many at a time as it computes. `args` has
 * its taps, scratch and final arguments; pointers to rows are at the start of the job's scratch. */
void passes_run_both(const struct row_job *job, int isa, kernel *both, struct kernel_args *args);

#endif
