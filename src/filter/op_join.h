/* The results of several masks as one number. */
#ifndef SWATHE_FILTER_OP_JOIN_H
#define SWATHE_FILTER_OP_JOIN_H

#include "filter/op.h"

/* The sample that the op computes from one sample of each of its `joined` planes. */
double op_join_apply(const struct op *op, const double *samples);

#endif
