/* Applies a mask, or one column of it, to several output rows at once. */
#ifndef SWATHE_ALGORITHM_MULTIROW_H
#define SWATHE_ALGORITHM_MULTIROW_H

#include "algorithm/algorithm.h"

enum { MULTIROW_GROUP = 8 }; /* rows of a task; a multiple of those of every kernel */
enum { MULTIROW_ROWS = 16 }; /* of a task at most, whoever chose them */

struct multirow {
    kernel *kernel;
    enum kernel_sum sum;              /* of the kernel */
    int isa;                          /* its instruction set */
    struct kernel_args args;          /* taps and final arguments; the rest is set for each run */
    int32_t *columns;                 /* pixels from the leftmost that the mask reads */
    int32_t first_row;                /* of the mask, index into row_task.rows */
    int64_t taps;                     /* multiplications per sample */
    int32_t source_size, result_size; /* bytes of a sample */
};

/* Whether multirow kernels can and should apply this mask: adjacent rows, few zeros (floats:
 * none). */
bool multirow_suits(const struct op *op, const struct op_taps *taps);

/* Whether taps for 16-bit samples can be split in two parts. */
bool multirow_splits(const struct op *op, const struct op_taps *taps);

/* `sum` is the one of the plain kernel: NARROW, PAIR, WIDE, FLOAT or FAST. */
swathe_status multirow_make(struct arena *arena, const struct op *op, const struct op_taps *taps,
                            enum kernel_sum sum, const char *result, int isa,
                            struct plan_stage *stage, struct multirow *multirow);

/* `step` is that of the task. */
int64_t multirow_scratch_bytes(const struct multirow *multirow, int32_t step);
/* Computes output rows of a task, `count` samples of each, starting at the leftmost. */
void multirow_run(const struct multirow *multirow, const struct row_task *task, int64_t count,
                  void *const *results, void *scratch);

#endif
