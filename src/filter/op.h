/* An op: a stage bound to an image. Types, integer taps, borders and sizes are known. An op is a
 * function from input samples to output samples; reference.c defines it. */
#ifndef SWATHE_FILTER_OP_H
#define SWATHE_FILTER_OP_H

#include "filter/chain.h"
#include "filter/weights.h"
#include "image/sample.h"

/* Taps of one mask: integers for integer arithmetic, otherwise floats or doubles. */
struct op_taps {
    int32_t width, height, anchor_x, anchor_y;
    int32_t q;
    int32_t *w;
    float *f;
    double *d;
    /* Integer results are clamp((Σ w·p + add) >> shift). */
    int32_t shift;
    int64_t add;
};

/* A column of taps and a row of taps, which are applied one after the other. */
struct op_term {
    struct op_taps down, across;
};

/* What STAGE_WEIGH computes from a plane. */
enum { OP_PRODUCT, OP_WEIGHT, OP_SAMPLE };

/* Where a channel of the result comes from: a plane of the input, and the mask that is applied to
 * it (STAGE_WEIGH: what is computed, STAGE_DIVIDE: the part of its weights); -1: it is copied. */
struct op_result {
    int32_t plane, mask;
};

/* How a stage adds its products: arithmetic.def. */
enum op_arithmetic {
#define ARITHMETIC(id, name, type, summary) ARITHMETIC_##id,
#include "filter/arithmetic.def"
#undef ARITHMETIC
};

struct op {
    const char *text;
    const struct stage_array *array; /* masks that the text omits; NULL: none */
    int32_t first; /* the first op of the chain that differs from this one only in its bounds */
    enum stage_rule rule;
    bool integer;     /* sums of integers; otherwise in type `real` … */
    swathe_type real; /* … which is f32 or f64 */
    bool ordered;     /* real sums always have the order of the contract, as in exact mode */
    enum op_arithmetic arithmetic; /* unless it is the contract's, only the reference and GPU
                                    * strategies compute it, and no bounds are known */
    swathe_type in, out;
    int32_t channels, out_channels; /* of the input, of the result */
    struct op_result *results;      /* one per channel of the result */
    int32_t copied;                 /* index of the channel that is copied (alpha), or -1 */
    int32_t alpha;                  /* index of alpha in the result, or -1 */
    int32_t mask_count;
    /* STAGE_DENSE; STAGE_MIX: a row of taps, one for each plane that is not copied; STAGE_MEAN uses
     * the size of masks[0] */
    struct op_taps *masks;
    enum stage_join join; /* STAGE_JOIN, of this number of planes */
    int32_t joined;
    struct op_term *terms; /* STAGE_TWO_PASS: their sum; integers have one */
    int32_t term_count;
    int64_t mean_count, mean_add;          /* STAGE_MEAN: floor((2·(S + mean_add) + n) / (2n)) */
    struct weights_rule before;            /* for its input */
    struct weights *weights;               /* of alpha and of missing data; NULL: none */
    const struct weights_missing *missing; /* if results can be missing by their values */
    double *outside; /* samples outside the image, for each plane; NULL: the border's value */
    /* STAGE_POINT; op_result.mask is the index. Of the range of all colours, and of alpha; or of a
     * curve for each colour, and of alpha. */
    struct point points[CURVE_COUNT_MAX + 1];
    int32_t point_count;
    int32_t other;    /* a channel (alpha) that does not have points[0]; -1: none */
    double bias;      /* rounded to `real` */
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

/* Is a sample of the result computed from samples of several planes? */
static inline bool op_reads_all(const struct op *op)
{
    return op->rule == STAGE_MIX || op->rule == STAGE_JOIN || op->rule == STAGE_WEIGH ||
           op->rule == STAGE_DIVIDE;
}

/* Does it make colours of sums that alpha weighed? */
static inline bool op_divides_by_alpha(const struct op *op)
{
    return op->rule == STAGE_DIVIDE && op->weights->missing.rule.kind == WEIGHTS_ALPHA;
}

/* The value of samples outside the image. */
static inline double op_outside(const struct op *op, int32_t plane)
{
    return op->outside ? op->outside[plane] : op->border.value;
}

/* Channels of the input, without the one that is copied. */
static inline int32_t op_colours(const struct op *op)
{
    return op->channels - (op->copied >= 0);
}

/* The n-th plane of the input that is not copied. */
static inline int32_t op_colour_plane(const struct op *op, int32_t n)
{
    return n + (op->copied >= 0 && n >= op->copied);
}

/* Is each channel of the result the same channel of the input, filtered with the same mask? */
static inline bool op_is_uniform(const struct op *op)
{
    return !op_reads_all(op) && op->mask_count <= 1 && op->copied < 0 && op->other < 0 &&
           op->channels == op->out_channels;
}

/* Can it be computed in planes of `step` interleaved channels each? A stack makes one such plane
 * with each of its masks, and a join reads them. */
static inline bool op_is_grouped(const struct op *op, int32_t step)
{
    if (op->rule == STAGE_WEIGH || op->rule == STAGE_DIVIDE)
        return op->weights->pixels && op->channels == step;
    if (op_is_uniform(op))
        return op->channels == step;
    bool stacks = op->rule == STAGE_DENSE && op->join != STAGE_JOIN_NONE && op->channels == step;
    bool joins = op->rule == STAGE_JOIN && op->out_channels == step;
    return (stacks || joins) && op->copied < 0 && op->other < 0 && !op->outside;
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

/* Half of the distance between 1 and the next larger number of the real type. */
static inline double op_unit(const struct op *op)
{
    return op->real == SWATHE_F64 ? 0x1p-53 : 0x1p-24;
}

static inline bool op_tap_is_zero(const struct op_taps *taps, int64_t i)
{
    return taps->w ? taps->w[i] == 0 : taps->f ? taps->f[i] == 0.0f : taps->d[i] == 0.0;
}

/* Sets error_bound (largest distance from exact real arithmetic, for float samples within
 * ±magnitude), gain (Σ|k|) and bound_magnitude (largest |result|). */
void op_bound(struct op *op, const struct stage *stage, double magnitude);
/* The rounding error of an alpha channel that is copied. */
double op_copied_bound(const struct op *op);
/* The error of real results after they are rounded to the output type, from that of their sum;
 * infinite if they may overflow. `sum` is the largest Σ|k·p|, `bias` is not negative. */
double op_stored_error(const struct op *op, double sum, double bias, double error);
/* Replaces the bound by that of an algorithm that computes its own. */
void op_bound_replace(struct op *op, double error_bound);

/* ---- Binding --------------------------------------------------------------------------------- */

/* Binds the stages of a chain to an image. */

struct op_options {
    swathe_type type, intermediate;
    int32_t own; /* stages of the chain before the one that `values` appends, or all of them */
    struct border border;
    bool filter_alpha;
    struct weights_rule weights;
    enum op_arithmetic arithmetic;
};

/* Binds every stage of a chain in order. The ops are stored in the arena. */
/* `weights` becomes the rule for the result. */
swathe_status op_bind(struct arena *arena, const struct chain *chain, const swathe_shape *source,
                      struct op_options *options, struct op **ops);

/* The type of the chain's result. */
swathe_type op_result_type(const struct chain *chain, const swathe_shape *source,
                           const struct op_options *options);

/* ---- The arithmetic of a stage --------------------------------------------------------------- */

/* The arithmetic of a stage between integers. */

/* Binds the taps of a stage. Between integers, they have the first form of docs/numerics.md whose
 * results are next to the exact ones; if there is none, the stage is refused. */
swathe_status op_form_bind(struct arena *arena, const struct stage *stage, struct op *op);
/* Refuses an op between integers whose results may not be next to the exact ones. */
swathe_status op_form_check(const struct op *op);
/* Sets the number of taps that are not 0. */
void op_taps_count(struct op *op);

/* ---- The arithmetic of reports --------------------------------------------------------------- */

/* NULL: the contract's. */
swathe_status op_arithmetic_named(const char *name, enum op_arithmetic *found);
/* Sets how an op adds, before its taps are bound; fails if it is not one that the report has. */
swathe_status op_arithmetic_set(enum op_arithmetic arithmetic, struct op *op);
/* Narrows the range of its result. */
void op_arithmetic_limit(struct op *op);

/* ---- Joins ----------------------------------------------------------------------------------- */

/* The results of several masks as one number. */

/* The sample that the op computes from one sample of each of its `joined` planes. */
double op_join_apply(const struct op *op, const double *samples);

/* ---- Stages with weights --------------------------------------------------------------------- */

/* Binds the three stages of a stage with weights. */

/* What the three ops are bound to. */
struct op_weights {
    struct weights_rule rule;
    int32_t alpha;         /* the index of alpha in the input, or -1 */
    bool filter_alpha;     /* it is filtered like colours */
    double top;            /* the largest alpha */
    struct border border;  /* of the masks */
    struct weights *bound; /* of the stage that is being bound */
};

swathe_status op_weights_weigh(struct arena *arena, const struct stage *stage,
                               struct op_weights *state, struct op *op);
swathe_status op_weights_filter(struct arena *arena, const struct stage *stage,
                                struct op_weights *state, struct op *op);
swathe_status op_weights_divide(struct arena *arena, struct op_weights *state, struct op *op);

/* Makes the op that computes what three do: those of a filter by two passes, of samples that are
 * missing by their own values. Sets `joined` to false if they are others. */
swathe_status op_weights_join(struct arena *arena, const struct op *three, struct op *op,
                              bool *joined);

/* ---- The reference --------------------------------------------------------------------------- */

/* The definition of every operation, in plain and slow code. All tests compare with it. */

/* Runs ops in order over whole images. `source` is the input of the first op. `result` receives the
 * output of the last one, or the part of it that the view describes. */
swathe_status reference_run(const struct memory *memory, const struct op *ops, int32_t count,
                            const swathe_image *source, const swathe_image *result);

/* ---- Stages that become several -------------------------------------------------------------- */

/* Stages that plans replace by several: those with joins, and with weights. */

/* Replaces each stage whose results are joined by two: one that stacks them, one that joins them.
 * Other chains are returned unchanged. */
swathe_status join_expand(struct arena *arena, const struct chain *chain,
                          const struct chain **expanded);

/* The type of the results that are joined: wide enough for integer results. */
swathe_type join_between(const struct stage *stage, swathe_type in);

/* Replaces each stage that weights apply to by three. Other chains are returned unchanged. */
swathe_status weights_expand(struct arena *arena, const struct chain *chain,
                             const struct weights_rule *rule, const struct border *border,
                             const struct chain **expanded);

#endif
