/* Chooses between the three stages of a filter with weights and one that computes the same. */
#include "filter/op.h"
#include "plan/plan.h"

/* Does a forced algorithm compute one of the three? */
static bool is_forced(const struct candidate_rule *rule, const struct candidates *three)
{
    for (int i = 0; rule->forced && i < 3; i++)
        if (!three[i].inapplicable)
            return true;
    return false;
}

/* Finds the op that replaces ops i to i + 2 of a plan, and its candidates. Sets `joined` to false
 * if there is none, or it is not faster. */
static swathe_status find_op(struct plan *plan, const struct candidate_rule *rule, int32_t i,
                             struct op *op, struct candidates *candidates, bool *joined)
{
    const struct algorithm *weighted = algorithm_at(ALGORITHM_weighted);
    const struct candidates *three = &plan->candidates[i];
    struct algorithm_case at = {.op = op, .isa = rule->isa};
    *joined = plan->ops[i].rule == STAGE_WEIGH && !is_forced(rule, three);
    if (*joined)
        TRY(op_weights_join(&plan->arena, &plan->ops[i], op, joined));
    if (!*joined || !weighted->calls->applies(&at)) {
        *joined = false;
        return SWATHE_OK;
    }
    TRY(candidates_find(&plan->arena, op, rule, candidates));
    candidates_add_three(op, rule, three, candidates);
    *joined = candidates_chosen(candidates)->algorithm == weighted;
    return SWATHE_OK;
}

static swathe_status set_joined(struct plan *plan, const struct candidate_rule *rule, int32_t to,
                                const struct op *op, const struct candidates *candidates)
{
    plan->ops[to] = *op;
    plan->candidates[to] = *candidates;
    TRY(plan_prepare_stage(&plan->arena, &plan->ops[to], rule, candidates, &plan->stages[to]));
    plan->stages[to].error_bound = op->error_bound;
    return SWATHE_OK;
}

static void move_stage(struct plan *plan, int32_t from, int32_t to)
{
    plan->ops[to] = plan->ops[from];
    plan->candidates[to] = plan->candidates[from];
    plan->stages[to] = plan->stages[from];
    plan->stages[to].op = &plan->ops[to];
}

swathe_status plan_join_weights(struct plan *plan, const struct candidate_rule *rule)
{
    int32_t own = plan->own, to = 0, step;
    for (int32_t i = 0; i < plan->count; i += step, to++) {
        struct op op;
        struct candidates candidates = {0};
        bool joined;
        TRY(find_op(plan, rule, i, &op, &candidates, &joined));
        step = joined ? 3 : 1;
        plan->own -= i < own ? step - 1 : 0;
        if (joined)
            TRY(set_joined(plan, rule, to, &op, &candidates));
        else
            move_stage(plan, i, to);
    }
    plan->count = to;
    return SWATHE_OK;
}
