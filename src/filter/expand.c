#include "filter/op.h"

#include <math.h>

/* ---- Joins ----------------------------------------------------------------------------------- */

static bool is_joined(const struct stage *stage)
{
    return stage->rule != STAGE_JOIN && stage->join > STAGE_JOIN_STACK;
}

/* The second half has the options of the result, the first half those of the masks. */
static void split_joined(const struct stage *stage, struct stage *stack, struct stage *join)
{
    *stack = *stage;
    stack->has_clamp = false;
    stack->bias = 0.0;
    *join = *stage;
    join->text = (char *)(uintptr_t)stage_join_name(stage->join);
    join->array = NULL;
    join->rule = STAGE_JOIN;
    join->joined = stage->mask_count;
    join->mask_count = 0;
    join->dilate_x = join->dilate_y = 1;
}

swathe_status join_expand(struct arena *arena, const struct chain *chain,
                          const struct chain **expanded)
{
    int32_t more = 0, at = 0;
    struct chain *made;
    for (int32_t i = 0; i < chain->count; i++)
        more += is_joined(&chain->stages[i]);
    *expanded = chain;
    if (more == 0)
        return SWATHE_OK;
    if (chain->count + more > CHAIN_STAGES_MAX)
        return fail(SWATHE_ERROR_LIMIT,
                    "the chain has %d stages, of which %d count twice, because their results are "
                    "joined; the limit is %d",
                    chain->count, more, CHAIN_STAGES_MAX);
    TRY(arena_new(arena, 1, sizeof *made, "a chain", &made));
    made->taps = chain->taps;
    for (int32_t i = 0; i < chain->count; i++) {
        const struct stage *stage = &chain->stages[i];
        made->stages[at] = *stage;
        if (is_joined(stage)) {
            split_joined(stage, &made->stages[at], &made->stages[at + 1]);
            at++;
        }
        at++;
    }
    made->count = at;
    *expanded = made;
    return SWATHE_OK;
}

static double largest_gain(const struct stage *stage)
{
    double most = 0.0;
    for (int32_t m = 0; m < stage->mask_count; m++) {
        double sum = 0.0;
        for (int64_t i = 0; i < (int64_t)stage->masks[m].width * stage->masks[m].height; i++)
            sum += fabs(stage->masks[m].k[i]);
        most = fmax(most, sum);
    }
    return most;
}

swathe_type join_between(const struct stage *stage, swathe_type in)
{
    if (in == SWATHE_U8)
        return largest_gain(stage) * 255.0 + 1.0 <= (double)INT16_MAX ? SWATHE_S16 : SWATHE_S32;
    if (in == SWATHE_U16 || in == SWATHE_S16)
        return SWATHE_S32;
    return in == SWATHE_F32 ? SWATHE_F32 : SWATHE_F64;
}

/* ---- Weights --------------------------------------------------------------------------------- */

static bool is_point(const struct stage *stage)
{
    for (int32_t i = 0; i < stage->mask_count; i++)
        if (stage->masks[i].width > 1 || stage->masks[i].height > 1)
            return false;
    return true;
}

/* Colours of a pixel are multiplied without regard to its own alpha. Samples that are missing by
 * their value must stay so even then. */
static bool has_weights(const struct stage *stage, const struct weights_rule *rule,
                        const struct border *border)
{
    bool by_value = rule->kind == WEIGHTS_VALUE || rule->kind == WEIGHTS_NAN;
    if (stage->rule != STAGE_DENSE && stage->rule != STAGE_TWO_PASS && stage->rule != STAGE_MEAN)
        return false;
    if (rule->kind == WEIGHTS_NONE)
        return border->mode == BORDER_MISSING && !is_point(stage);
    return by_value || !is_point(stage);
}

static const struct border *border_of(const struct stage *stage, const struct border *usual)
{
    return stage->has_border ? &stage->border : usual;
}

/* The last of the three has the options of the result, the second those of the masks. */
static void split_weighted(const struct stage *stage, bool by_alpha, struct stage *to)
{
    to[0] = to[1] = to[2] = *stage;
    to[0].weighs = to[1].weighs = to[2].weighs = stage->rule;
    to[0].by_alpha = to[1].by_alpha = to[2].by_alpha = by_alpha;
    to[0].rule = STAGE_WEIGH;
    to[0].text = (char *)(uintptr_t) "weigh";
    to[1].weighted = true;
    to[2].rule = STAGE_DIVIDE;
    to[2].text = (char *)(uintptr_t) "divide";
    for (int i = 0; i < 3; i++) {
        if (i != 1) {
            to[i].array = NULL;
            to[i].dilate_x = to[i].dilate_y = 1;
        }
        if (i != 2) {
            to[i].has_clamp = false;
            to[i].bias = 0.0;
        }
    }
}

static swathe_status expand_check_count(const struct chain *chain, int32_t weighted)
{
    if (chain->count + 2 * weighted > CHAIN_STAGES_MAX)
        return fail(SWATHE_ERROR_LIMIT,
                    "the chain has %d stages, of which %d count three times, because samples have "
                    "weights (alpha, nodata); the limit is %d; run it in two steps",
                    chain->count, weighted, CHAIN_STAGES_MAX);
    return SWATHE_OK;
}

swathe_status weights_expand(struct arena *arena, const struct chain *chain,
                             const struct weights_rule *rule, const struct border *border,
                             const struct chain **expanded)
{
    int32_t weighted = 0, at = 0;
    struct chain *made;
    for (int32_t i = 0; i < chain->count; i++)
        weighted += has_weights(&chain->stages[i], rule, border_of(&chain->stages[i], border));
    *expanded = chain;
    TRY(expand_check_count(chain, weighted));
    if (weighted == 0)
        return SWATHE_OK;
    TRY(arena_new(arena, 1, sizeof *made, "a chain", &made));
    made->taps = chain->taps;
    for (int32_t i = 0; i < chain->count; i++) {
        const struct stage *stage = &chain->stages[i];
        if (has_weights(stage, rule, border_of(stage, border))) {
            split_weighted(stage, rule->kind == WEIGHTS_ALPHA, &made->stages[at]);
            at += 3;
        } else {
            made->stages[at++] = *stage;
        }
    }
    made->count = at;
    *expanded = made;
    return SWATHE_OK;
}
