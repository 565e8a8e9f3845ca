/* two_pass.c with a bug: the first tap of the horizontal pass reads one column too far right. */
#include "algorithm/passes.h"

#define algorithm_two_pass right_two_pass
#include "algorithm/two_pass.c"
#undef algorithm_two_pass

static swathe_status wrong_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                struct plan_stage *stage)
{
    TRY(make(arena, op, isa, exact, stage));
    struct passes *passes = stage->prepared;
    if (passes->across.count > 0 && op->left + op->right > 0)
        passes->across.column[0]++;
    return SWATHE_OK;
}

const struct algorithm_calls algorithm_two_pass = {.applies = applies,
                                                   .work = work,
                                                   .make = wrong_make,
                                                   .scratch_bytes = passes_scratch_bytes,
                                                   .run = passes_run};
