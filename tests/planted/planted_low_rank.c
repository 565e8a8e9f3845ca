/* low_rank.c with a bug: the first tap reads one column too far right, in the row of the first term
 * or, with PLANT_REPAIR, for samples that are not finite. */
#define algorithm_low_rank right_low_rank
#include "algorithm/low_rank.c"
#undef algorithm_low_rank

#ifndef PLANT_REPAIR
#define PLANT_REPAIR 0
#endif

static swathe_status wrong_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                struct plan_stage *stage)
{
    TRY(make(arena, op, isa, exact, stage));
    const struct low_rank *low = stage->prepared;
    if (PLANT_REPAIR)
        low->masks[0].directly.column[0]++;
    else
        low->masks[0].column[0]++;
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_low_rank = {.analyse = terms_find,
                                                   .applies = applies,
                                                   .work = work,
                                                   .make = wrong_make,
                                                   .scratch_bytes = scratch_bytes,
                                                   .run = run,
                                                   .relative_error = terms_relative_error,
                                                   .error_bound = terms_error_bound,
                                                   .reorders = true};
