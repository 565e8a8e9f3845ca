/* What every operation means, plain and slow: the oracle of all tests. */
#ifndef SWATHE_FILTER_REFERENCE_H
#define SWATHE_FILTER_REFERENCE_H

#include "filter/op.h"

/* Runs ops in order over whole images: `source` is the input of the first, `result` gets the
 * output of the last (or the part that its place names). */
swathe_status reference_run(const struct memory *memory, const struct op *ops, int32_t count,
                            const swathe_image *source, const swathe_image *result);

#endif
