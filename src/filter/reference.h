/* The definition of every operation, in plain and slow code. All tests compare with it. */
#ifndef SWATHE_FILTER_REFERENCE_H
#define SWATHE_FILTER_REFERENCE_H

#include "filter/op.h"

/* Runs ops in order over whole images. `source` is the input of the first op. `result` receives the
 * output of the last one, or the part of it that the view describes. */
swathe_status reference_run(const struct memory *memory, const struct op *ops, int32_t count,
                            const swathe_image *source, const swathe_image *result);

#endif
