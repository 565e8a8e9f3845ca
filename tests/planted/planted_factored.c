/* factored.c with a bug: the first tap of the horizontal pass reads one column too far right. */
#include "algorithm/passes.h"

#define algorithm_factored right_factored
#include "algorithm/factored.c"
#undef algorithm_factored

static swathe_status wrong_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                struct plan_stage *stage)
{
    TRY(make(arena, op, isa, exact, stage));
    struct passes *passes = stage->prepared;
    passes->across.column[0]++;
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_factored = {.applies = applies,
                                                   .work = work,
                                                   .make = wrong_make,
                                                   .scratch_bytes = passes_scratch_bytes,
                                                   .run = passes_run};
