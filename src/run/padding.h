/* Rows with their border around them, for kernels that know of none. */
#ifndef SWATHE_RUN_PADDING_H
#define SWATHE_RUN_PADDING_H

#include "plan/interval.h"
#include "run/worker.h"

/* Row y of the op's input as dense planes: `columns` of it. Row and columns may lie outside, where
 * the border says what stands there. */
swathe_status padding_row(const struct op *op, const struct row_source *source, int64_t y,
                          struct interval columns, uint8_t *to, int64_t plane_stride);

#endif
