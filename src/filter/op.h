/* An op: a stage bound to an image. Types, integer taps, borders and sizes are known. An op is a
 * function from input samples to output samples; reference.c defines it. */
#ifndef SWATHE_FILTER_OP_H
#define SWATHE_FILTER_OP_H

#include "filter/chain.h"
#include "image/sample.h"

/* Taps of one mask: integers for integer arithmetic, otherwise floats. */
struct op_taps {
    int32_t width, height, anchor_x, anchor_y;
    int32_t q;
    int32_t *w;
    float *f;
    /* Integer results are clamp((Σ w·p + add) >> shift). */
    int32_t shift;
    int64_t add;
};

struct op {
    const char *text;
    const struct stage_array *array; /* masks that the text omits; NULL: none */
    int32_t first; /* the first op of the chain that differs from this one only in its bounds */
    enum stage_rule rule;
    bool integer; /* exact integer arithmetic; otherwise floats */
    swathe_type in, out;
    int32_t channels;
    int32_t copied; /* index of the channel that is copied (alpha), or -1 */
    int32_t mask_count;
    struct op_taps *masks;        /* STAGE_DENSE; STAGE_MEAN uses the size of masks[0] */
    struct op_taps down, across;  /* STAGE_TWO_PASS */
    int64_t mean_count, mean_add; /* STAGE_MEAN: floor((2·(S + mean_add) + n) / (2n)) */
    float bias;
    double low, high; /* range of the result; integers for integer types */
    struct border border;
    int32_t dilate_x, dilate_y;
    int32_t left, right, above, below; /* extent of the mask around the anchor */
    int64_t in_width, in_height, out_width, out_height;
    int64_t shift_x, shift_y; /* input pixel under output pixel 0; not 0 only for `valid` */
    double magnitude;         /* largest |sample| for which the bounds hold */
    double error_bound, gain, bound_magnitude;
    int64_t tap_count; /* non-zero taps of all passes */
};

struct op_options {
    swathe_type type, intermediate;
    struct border border;
    bool filter_alpha;
};

/* Binds every stage of a chain in order. The ops are stored in the arena. */
swathe_status op_bind(struct arena *arena, const struct chain *chain, const swathe_shape *source,
                      const struct op_options *options, struct op **ops);

/* The taps of channel c. */
static inline const struct op_taps *op_channel(const struct op *op, int32_t c)
{
    return &op->masks[op->mask_count > 1 ? c : 0];
}

/* Does the mask read columns, or rows, at the opposite edge? */
static inline bool op_wraps_columns(const struct op *op)
{
    return border_entry(op->border.mode)->far && op->left + op->right > 0;
}
static inline bool op_wraps_rows(const struct op *op)
{
    return border_entry(op->border.mode)->far && op->above + op->below > 0;
}

static inline bool op_tap_is_zero(const struct op_taps *taps, int64_t i)
{
    return taps->w ? taps->w[i] == 0 : taps->f[i] == 0.0f;
}

/* Sets error_bound (largest distance from exact real arithmetic, for float samples within
 * ±magnitude), gain (Σ|k|) and bound_magnitude (largest |result|). */
void op_bound(struct op *op, const struct stage *stage, double magnitude);
/* Replaces the bound by that of an algorithm that computes its own. */
void op_bound_replace(struct op *op, double error_bound);

#endif
