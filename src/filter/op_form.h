/* The arithmetic of a stage between integers. */
#ifndef SWATHE_FILTER_OP_FORM_H
#define SWATHE_FILTER_OP_FORM_H

#include "filter/op.h"

/* Binds the taps of a stage. Between integers, they have the first form of docs/numerics.md whose
 * results are next to the exact ones; if there is none, the stage is refused. */
swathe_status op_form_bind(struct arena *arena, const struct stage *stage, struct op *op);
/* Refuses an op between integers whose results may not be next to the exact ones. */
swathe_status op_form_check(const struct op *op);
/* Sets the number of taps that are not 0. */
void op_taps_count(struct op *op);

#endif
