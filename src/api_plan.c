/* Public functions on plans. */
#include "api.h"

#include "base/cancel.h"
#include "base/cpu.h"
#include "filter/plan_option.h"
#include "io/metadata/metadata.h"
#include "measure/tune.h"

#include <string.h>

swathe_status swathe_plan_options_set(swathe_plan_options *options, const char *name,
                                      const char *text)
{
    swathe_plan_options own;
    struct failure kept = fail_keep();
    REQUIRE(options);
    REQUIRE(name);
    REQUIRE(text);
    TRY(TAKE(own, options));
    if (options->struct_size < sizeof own)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "options: struct_size is %zu, that of this library %zu; they must be of the "
                    "same version",
                    options->struct_size, sizeof own);
    TRY(plan_option_set(&own, name, text));
    return fail_release(&kept, GIVE(options, own));
}

static swathe_status wrap_plan(swathe_context *context, struct plan *inner, swathe_plan **plan)
{
    swathe_plan *got;
    swathe_status status = memory_new(&context->memory, 1, sizeof *got, "a plan", &got);
    if (status != SWATHE_OK) {
        plan_free(inner);
        return status;
    }
    *got = (swathe_plan){.plan = inner, .cache = &context->plans, .users = 1};
    got->memory = &context->memory;
    *plan = got;
    return SWATHE_OK;
}

/* Replaces a profile by its curves; `made` must be freed. */
static swathe_status take_curves(const struct memory *memory, swathe_plan_options *o,
                                 swathe_curves *curves, double **made)
{
    struct icc_curves read;
    if (!o->curves)
        return SWATHE_OK;
    TRY(TAKE(*curves, o->curves));
    o->curves = curves;
    if (!curves->profile || o->light != SWATHE_LIGHT_LINEAR)
        return SWATHE_OK;
    TRY(icc_read(memory, curves->profile, curves->profile_size, &read));
    *made = read.values;
    curves->values = read.values;
    curves->count = read.count;
    curves->size = read.size;
    if (read.count == 0) /* sRGB's curve */
        o->curves = NULL;
    return SWATHE_OK;
}

static swathe_status api_plan_make(swathe_context *context, const swathe_chain *chain,
                                   const swathe_shape *source, const swathe_plan_options *o,
                                   swathe_plan **plan)
{
    struct plan *inner = NULL;
    struct plan_maker maker = api_maker(context);
    struct float_mode mode = float_mode_enter();
    struct cancel_caller before = cancel_enter((struct cancel){o->cancelled, o->cancel_user});
    swathe_status status =
        o->tune ? tune_plan(&maker, context->pool, chain->chain, source, o) : SWATHE_OK;
    if (o->tune && status == SWATHE_OK)
        plan_cache_clear(&context->plans);
    if (status == SWATHE_OK)
        status = plan_create(&maker, chain->chain, source, o, &inner);
    cancel_leave(before);
    float_mode_leave(mode);
    return status == SWATHE_OK ? wrap_plan(context, inner, plan) : status;
}

swathe_status swathe_plan_create(swathe_context *context, const swathe_chain *chain,
                                 const swathe_shape *source, const swathe_plan_options *options,
                                 swathe_plan **plan)
{
    swathe_plan_options o;
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(chain);
    REQUIRE(source);
    REQUIRE(plan);
    TRY(TAKE(o, options));
    swathe_curves curves;
    struct plan_key key;
    double *made = NULL;
    TRY(take_curves(&context->memory, &o, &curves, &made));
    plan_key_make(&key, context, chain, source, &o);
    swathe_plan *got = plan_cache_find(&context->plans, &key);
    swathe_status status = SWATHE_OK;
    if (!got) {
        status = api_plan_make(context, chain, source, &o, &got);
        if (status == SWATHE_OK)
            got = plan_cache_add(&context->plans, &key, got);
    }
    plan_key_free(&key);
    memory_free(&context->memory, made);
    TRY(status);
    *plan = got;
    return fail_release(&kept, SWATHE_OK);
}

swathe_status swathe_plan_parse(swathe_context *context, const char *problem, swathe_plan **plan)
{
    struct plan *inner = NULL;
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(problem);
    REQUIRE(plan);
    struct plan_maker maker = api_maker(context);
    struct float_mode mode = float_mode_enter();
    swathe_status status = plan_parse(&maker, problem, &inner);
    float_mode_leave(mode);
    TRY(status);
    return fail_release(&kept, wrap_plan(context, inner, plan));
}

void swathe_plan_destroy(swathe_plan *plan)
{
    if (plan)
        plan_cache_release(plan->cache, plan);
}

swathe_status swathe_plan_get(const swathe_plan *plan, swathe_plan_info *info)
{
    swathe_plan_info own = SWATHE_INIT(swathe_plan_info);
    REQUIRE(plan);
    REQUIRE(info);
    plan_get(plan->plan, &own);
    return GIVE(info, own);
}

swathe_status swathe_plan_stage(const swathe_plan *plan, int32_t stage, swathe_stage_info *info)
{
    swathe_stage_info own = SWATHE_INIT(swathe_stage_info);
    REQUIRE(plan);
    REQUIRE(info);
    TRY(plan_stage(plan->plan, stage, &own));
    return GIVE(info, own);
}

swathe_status swathe_plan_input(const swathe_plan *plan, const swathe_rect *result,
                                swathe_rect *source)
{
    swathe_rect got;
    REQUIRE(plan);
    REQUIRE(result);
    REQUIRE(source);
    TRY(plan_input(plan->plan, result, &got));
    *source = got;
    return SWATHE_OK;
}

swathe_status swathe_plan_text(const swathe_plan *plan, swathe_text format, char *text, size_t size,
                               size_t *needed)
{
    REQUIRE(plan);
    return plan_text(plan->plan, format, text, text ? size : 0, needed);
}
