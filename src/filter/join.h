/* Stages whose results are joined, as two stages. */
#ifndef SWATHE_FILTER_JOIN_H
#define SWATHE_FILTER_JOIN_H

#include "filter/chain.h"

/* Replaces each stage whose results are joined by two: one that stacks them, one that joins them.
 * Other chains are returned unchanged. */
swathe_status join_expand(struct arena *arena, const struct chain *chain,
                          const struct chain **expanded);

/* The type of the results that are joined: wide enough for integer results. */
swathe_type join_between(const struct stage *stage, swathe_type in);

#endif
