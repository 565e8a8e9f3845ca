/* Two passes, vertical first: of sums of products, and of masks that factor. */
#ifndef SWATHE_ALGORITHM_PASSES_H
#define SWATHE_ALGORITHM_PASSES_H

#include "algorithm/byte_passes.h"
#include "algorithm/multirow.h"

enum { PASSES_GROUP = KERNEL_ACROSS_ROWS }; /* rows of a task, at most */
_Static_assert((int)PASSES_GROUP <= (int)MULTIROW_ROWS, "its first pass computes them");

/* Kernels of the two passes, and the type between them. */
struct pass_types {
    enum kernel_sum down, across;
    const char *middle;
    int32_t middle_size; /* bytes of a sample */
};

/* The passes of one mask, or of one term of a sum. A stage with several has an array of them. */
struct passes {
    struct packed_taps down, across;
    kernel *down_kernel, *across_kernel;
    struct multirow *down_multirow; /* replaces down_kernel; NULL: none */
    struct byte_passes *bytes;      /* replaces both for u8; NULL: none */
    kernel *across_rows; /* replaces across_kernel, for floats of all rows at once; NULL: none */
    kernel *both;        /* replaces all of these for floats; NULL: none */
    int both_isa;
    void *both_taps;
    const struct op_taps *both_column;
    int32_t middle_size;
    bool copies_rows; /* the column has one tap of 1: its results are the rows themselves … */
    kernel *to_real;  /* … or what this makes of them */
    /* A further term: its row of taps starts with a tap of 1 for the sum so far. */
    void *added_taps;
    struct kernel_args down_end, across_end; /* final arguments of each pass: add, shift, range … */
};

/* Prepares both passes from their taps. Also sets the stage's group and chunk. */
swathe_status passes_make(struct arena *arena, const struct pass_types *types,
                          const struct op_taps *down, const struct op_taps *across, int isa,
                          struct plan_stage *stage, struct passes *passes);

/* Lets a term of reals be added to the one before it, which leaves the bias and the clamp to it. */
swathe_status passes_continue(struct arena *arena, const struct op *op, struct passes *before,
                              struct passes *passes);

/* Lets one kernel apply both passes of reals, or the second pass to many rows at once, if the taps
 * of `term`, the first one, allow it. */
swathe_status passes_fuse(struct arena *arena, enum kernel_sum sum, const struct op_term *term,
                          int isa, struct plan_stage *stage, struct passes *passes);

/* Can one kernel apply both passes of a term? */
bool passes_suit_both(const struct op *op, const struct op_term *term);
/* The taps that it takes: those of the column, then those of the row. */
swathe_status passes_both_taps(struct arena *arena, const struct op *op, const struct op_term *term,
                               void **taps);

int64_t passes_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step);
void passes_run(const struct row_task *task);
/* Runs a kernel of both passes for the rows of a task, as many at a time as it computes. `args` has
 * its taps, scratch and final arguments; pointers to rows are at the start of the task's scratch.
 */
void passes_run_both(const struct row_task *task, const struct op_taps *column, int isa,
                     enum kernel_sum sum, kernel *both, struct kernel_args *args);

#endif
