/* Binds the three stages of a stage with weights. */
#ifndef SWATHE_FILTER_OP_WEIGHTS_H
#define SWATHE_FILTER_OP_WEIGHTS_H

#include "filter/op.h"

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

#endif
