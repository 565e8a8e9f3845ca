/* Public functions on tuning. */
#include "api.h"

#include "base/cpu.h"
#include "measure/tune.h"

swathe_status swathe_tune(swathe_context *context, const swathe_tune_options *options)
{
    swathe_tune_options o;
    struct failure kept = fail_keep();
    REQUIRE(context);
    TRY(TAKE(o, options));
    struct plan_maker maker = api_maker(context);
    struct float_mode mode = float_mode_enter();
    swathe_status status = tune_machine(&maker, context->pool, o.isa);
    float_mode_leave(mode);
    plan_cache_clear(&context->plans);
    return fail_release(&kept, status);
}

swathe_status swathe_tune_text(swathe_context *context, swathe_text format, char *text, size_t size,
                               size_t *needed)
{
    struct failure kept = fail_keep();
    REQUIRE(context);
    if (format != SWATHE_TEXT_PEOPLE && format != SWATHE_TEXT_JSON)
        return fail(SWATHE_ERROR_ARGUMENT, "%d is not a text format of wisdom", (int)format);
    return fail_release(&kept, wisdom_show(context->wisdom, format == SWATHE_TEXT_JSON, text,
                                           text ? size : 0, needed));
}
