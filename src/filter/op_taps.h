/* Binds the taps of a stage to the types of an op. */
#ifndef SWATHE_FILTER_OP_TAPS_H
#define SWATHE_FILTER_OP_TAPS_H

#include "filter/op.h"

/* Binds real taps, or the size of an exact mean. */
swathe_status op_taps_bind(struct arena *arena, const struct stage *stage, struct op *op);
/* Allocate taps of the op's arithmetic, with the sizes and anchors of the stage's masks. */
swathe_status op_masks_new(struct arena *arena, const struct stage *stage, struct op *op);
swathe_status op_terms_new(struct arena *arena, const struct stage *stage, struct op *op);
/* Sets the number of taps that are not 0. */
void op_taps_count(struct op *op);

#endif
