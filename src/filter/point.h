/* Point stages: functions from one sample to one sample, without taps. One entry each in
 * point.def. */
#ifndef SWATHE_FILTER_POINT_H
#define SWATHE_FILTER_POINT_H

#include "filter/curve.h"
#include "image/sample.h"

enum point_id {
#define POINT(id, name) POINT_##id,
#include "filter/point.def"
#undef POINT
};

struct weights_missing;

struct point_range {
    double low, high; /* low <= high */
};

struct point {
    enum point_id id;
    swathe_type in, out;
    double bias;                           /* added to the value of the function */
    double low, high;                      /* the result is clamped to this range */
    struct point_range from, to;           /* POINT_range */
    const struct weights_missing *missing; /* NULL: no samples are */
    const struct curve_table *curve;       /* POINT_decode, POINT_encode */
};

/* The definition of a point stage: the result for a sample of type `in`, as a value of type
 * `out`. */
double point_apply(const struct point *point, double sample);

/* Is the range mapped in integers? Otherwise in doubles. */
bool point_is_exact(const struct point *point);

/* The samples that mean nothing and all: the range of an integer type; 0 and 1 for floats. */
struct point_range point_whole(swathe_type type);

#endif
