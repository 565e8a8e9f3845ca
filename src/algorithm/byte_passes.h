/* Runs the kernels that apply both passes of a filter to u8, eight rows at a time. */
#ifndef SWATHE_ALGORITHM_BYTE_PASSES_H
#define SWATHE_ALGORITHM_BYTE_PASSES_H

#include "algorithm/algorithm.h"

struct byte_passes {
    kernel *kernel;
    struct kernel_args args; /* the rest is set for each run */
    int32_t row, column;     /* of the first tap, from the topmost row and column that are read */
};

/* Can a kernel take a column and a row of so many taps? */
bool byte_passes_suit(const struct op *op, int64_t down, int64_t across);
/* Finds the kernel, for a column and a row of taps from these on; the caller sets what ends the
 * sums. Also sets the stage's group. */
void byte_passes_make(const struct op *op, enum kernel_id id, int32_t row, int32_t down,
                      int32_t column, int32_t across, int isa, struct plan_stage *stage,
                      struct byte_passes *passes);
int64_t byte_passes_scratch_bytes(const struct byte_passes *passes);
void byte_passes_run(const struct byte_passes *passes, const struct row_task *task);

#endif
