/* Stages that plans replace by several: those with joins, and with weights. */
#ifndef SWATHE_FILTER_EXPAND_H
#define SWATHE_FILTER_EXPAND_H

#include "filter/chain.h"
#include "filter/weights.h"

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
