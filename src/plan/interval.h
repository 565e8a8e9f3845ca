/* Which part of a stage's input a part of its output needs, along one axis. */
#ifndef SWATHE_PLAN_INTERVAL_H
#define SWATHE_PLAN_INTERVAL_H

#include "filter/op.h"

struct interval {
    int64_t first, last; /* last is one past the end */
};

enum interval_axis { INTERVAL_COLUMNS, INTERVAL_ROWS };

/* Coordinates in reach, also outside the input. */
struct interval interval_reach(const struct op *op, enum interval_axis axis, struct interval out);
/* The input samples that those map to: the smallest interval that holds them all. */
struct interval interval_need(const struct op *op, enum interval_axis axis, struct interval out);
/* The same without what the border brings from elsewhere: the reach, cut to the input. */
struct interval interval_near(const struct op *op, enum interval_axis axis, struct interval out);

#endif
