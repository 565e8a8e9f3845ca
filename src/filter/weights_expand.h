/* Stages with weights, as three stages. */
#ifndef SWATHE_FILTER_WEIGHTS_EXPAND_H
#define SWATHE_FILTER_WEIGHTS_EXPAND_H

#include "filter/chain.h"
#include "filter/weights.h"

/* Replaces each stage that weights apply to by three. Other chains are returned unchanged. */
swathe_status weights_expand(struct arena *arena, const struct chain *chain,
                             const struct weights_rule *rule, const struct border *border,
                             const struct chain **expanded);

#endif
