/* Binds the stages of a chain to an image. */
#ifndef SWATHE_FILTER_OP_BIND_H
#define SWATHE_FILTER_OP_BIND_H

#include "filter/op.h"

struct op_options {
    swathe_type type, intermediate;
    int32_t own; /* stages of the chain before the one that `values` appends, or all of them */
    struct border border;
    bool filter_alpha;
    struct weights_rule weights;
};

/* Binds every stage of a chain in order. The ops are stored in the arena. */
/* `weights` becomes the rule for the result. */
swathe_status op_bind(struct arena *arena, const struct chain *chain, const swathe_shape *source,
                      struct op_options *options, struct op **ops);

/* The type of the chain's result. */
swathe_type op_result_type(const struct chain *chain, const swathe_shape *source,
                           const struct op_options *options);

#endif
