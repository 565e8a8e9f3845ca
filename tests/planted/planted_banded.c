/* banded.c with a bug: chunks of vertical taps are four rows too far apart. */
#define algorithm_banded right_banded
#include "algorithm/banded.c"
#undef algorithm_banded

static swathe_status wrong_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                struct plan_stage *stage)
{
    TRY(make(arena, op, isa, exact, stage));
    ((struct banded *)stage->prepared)->mask.deep += 4;
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_banded = {.applies = applies,
                                                 .work = work,
                                                 .make = wrong_make,
                                                 .scratch_bytes = scratch_bytes,
                                                 .kept_bytes = kept_bytes,
                                                 .run = run};
