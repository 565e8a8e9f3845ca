/* The part of a stage's input that a part of its output needs, along one axis. */
#ifndef SWATHE_PLAN_INTERVAL_H
#define SWATHE_PLAN_INTERVAL_H

#include "filter/op.h"

struct interval {
    int64_t first, last; /* last is one past the end */
};

enum interval_axis { INTERVAL_COLUMNS, INTERVAL_ROWS };

/* Coordinates that the mask reads, including those outside the input. */
struct interval interval_reach(const struct op *op, enum interval_axis axis, struct interval out);
/* The smallest interval of input samples that contains all samples that these map to. */
struct interval interval_need(const struct op *op, enum interval_axis axis, struct interval out);
/* The coordinates that the mask reads, cut to the input, without the samples that the border maps
 * from elsewhere. */
struct interval interval_near(const struct op *op, enum interval_axis axis, struct interval out);

#endif
