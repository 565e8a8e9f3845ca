/* What a plan says about alpha and missing data. */
#ifndef SWATHE_PLAN_WEIGHTS_NOTE_H
#define SWATHE_PLAN_WEIGHTS_NOTE_H

#include "base/memory.h"
#include "filter/weights.h"

/* Texts; empty: there is nothing to say. */
struct weights_note {
    char *nodata_in, *nodata; /* the value of missing samples and results */
    char *missing;            /* one sentence: what is missing, and what becomes of it */
    const char *alpha;        /* one sentence: what becomes of alpha */
};

/* `given` is the rule of the source, `result` that of the result, `alpha` the requested one. */
swathe_status weights_note(struct arena *arena, const struct weights_rule *given,
                           const struct weights_rule *result, bool has_alpha, const char *alpha,
                           struct weights_note *note);

#endif
