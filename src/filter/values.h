/* What becomes of the numbers if the plan's `type` differs from that of the chain's result. */
#ifndef SWATHE_FILTER_VALUES_H
#define SWATHE_FILTER_VALUES_H

#include "filter/chain.h"

struct values {
    swathe_values rule;       /* not the default */
    bool asked;               /* otherwise the default decided */
    struct point_range range; /* SWATHE_VALUES_FIT */
};

/* The rule for a change from one type to another. SWATHE_TYPE_DEFAULT as `to`: the type does not
 * change. */
struct values values_choose(const swathe_plan_options *options, swathe_type from, swathe_type to);

/* Does the rule need a stage of its own after the chain? */
bool values_needs_stage(const struct values *values, swathe_type from, swathe_type to);
/* The chain with that stage, which is stored in the arena, like its text. The stages are shared. */
swathe_status values_append(struct arena *arena, const struct chain *chain,
                            const struct values *values, swathe_type to, struct chain **extended);
/* One sentence: which rule, and why. */
swathe_status values_note(struct arena *arena, const struct values *values, swathe_type from,
                          swathe_type to, char **note);

#endif
