/* Rows extended by their border, for kernels that do not handle borders. */
#ifndef SWATHE_RUN_PADDING_H
#define SWATHE_RUN_PADDING_H

#include "plan/interval.h"
#include "run/worker.h"

/* Reads row y of the op's input as dense planes: `columns` of it. Row and columns may be outside
 * the image, where the border defines the samples. */
swathe_status padding_row(const struct op *op, const struct row_source *source, int64_t y,
                          struct interval columns, uint8_t *to, int64_t plane_stride);

#endif
