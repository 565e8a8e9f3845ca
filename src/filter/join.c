#include "filter/join.h"

#include <math.h>

static bool is_joined(const struct stage *stage)
{
    return stage->rule != STAGE_JOIN && stage->join > STAGE_JOIN_STACK;
}

/* The second half has the options of the result, the first half those of the masks. */
static void split_stage(const struct stage *stage, struct stage *stack, struct stage *join)
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
            split_stage(stage, &made->stages[at], &made->stages[at + 1]);
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
