/* weighted.c with a bug: results are missing where the sample below their centre is. */
#include "plan/plan.h"

#define plan_make_quick right_make_quick
swathe_status right_make_quick(struct plan *plan, const struct plan_maker *maker);
#include "plan/weighted.c"
#undef plan_make_quick

swathe_status plan_make_quick(struct plan *plan, const struct plan_maker *maker)
{
    TRY(right_make_quick(plan, maker));
    for (int32_t i = 0; plan->quick && i < plan->quick->count; i++) {
        const struct plan_stage *stage = &plan->quick->stages[i];
        if (stage->algorithm == &weighted)
            ((struct prepared *)stage->prepared)->weighted.centre_row++;
    }
    return SWATHE_OK;
}
