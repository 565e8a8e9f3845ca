/* weighted.c with a bug: results are missing where the sample below their centre is. */
#include "algorithm/algorithm.h"

#define algorithm_weighted right_weighted
#include "algorithm/weighted.c"
#undef algorithm_weighted

static swathe_status wrong_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                struct plan_stage *stage)
{
    TRY(weighted_make(arena, op, isa, exact, stage));
    ((struct prepared *)stage->prepared)->weighted.centre_row++;
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_weighted = {.applies = weighted_applies,
                                                   .work = weighted_work,
                                                   .make = wrong_make,
                                                   .scratch_bytes = weighted_scratch_bytes,
                                                   .run = algorithm_weighted_run};
