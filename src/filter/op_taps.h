/* Binds the taps of a stage to the types of an op. */
#ifndef SWATHE_FILTER_OP_TAPS_H
#define SWATHE_FILTER_OP_TAPS_H

#include "filter/op.h"

swathe_status op_taps_bind(struct arena *arena, const struct stage *stage, struct op *op);
/* Sets the number of taps that are not 0. */
void op_taps_count(struct op *op);

#endif
