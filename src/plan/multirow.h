/* A mask, or one column of it, over several output rows at once. */
#ifndef SWATHE_PLAN_MULTIROW_H
#define SWATHE_PLAN_MULTIROW_H

#include "plan/algorithm.h"

enum { MULTIROW_GROUP = 4 }; /* rows of a job; a multiple of what every instruction set makes */

struct multirow {
    kernel *kernel;
    int isa;                 /* whose kernel */
    struct kernel_args args; /* taps and ends; the rest is set for each run */
    int32_t *columns;        /* pixels from the leftmost in reach */
    int32_t first_row;       /* of the mask, in row_job.rows */
    int64_t taps;            /* that it multiplies by, for each sample */
};

/* Whether multirow kernels can and should do this mask: adjacent rows, few zeros (floats: none). */
bool multirow_suits(const struct op *op, const struct op_taps *taps);

/* Whether taps for 16-bit samples can be had in two parts. */
bool multirow_splits(const struct op *op, const struct op_taps *taps);

/* `sum` is that of the plain kernel: NARROW, PAIR, WIDE, FLOAT or FAST. */
swathe_status multirow_make(struct arena *arena, const struct op *op, const struct op_taps *taps,
                            enum kernel_sum sum, const char *result, int isa,
                            struct plan_stage *stage, struct multirow *multirow);

int64_t multirow_scratch_bytes(const struct multirow *multirow);
/* Output rows first … first + height - 1 of a job, `count` samples each from the leftmost. */
void multirow_run(const struct multirow *multirow, const struct row_job *job, int64_t count,
                  void *const *results, struct kernel_drain *drains, void *scratch);

#endif
