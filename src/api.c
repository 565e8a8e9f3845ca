/* Public functions on contexts, images, chains, plans and runs: they check their arguments and call
 * the other directories. */
#include "api.h"

#include "base/cancel.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/os_machine.h"
#include "image/view.h"
#include "io/limits.h"
#include "run/run.h"

#include <inttypes.h>
#include <string.h>

swathe_status api_take(void *own, size_t own_size, const void *given, const char *name)
{
    size_t size = own_size;
    memset(own, 0, own_size);
    if (given) {
        memcpy(&size, given, sizeof size);
        if (size < 2 * sizeof size || size > 1 << 16 || size % sizeof size)
            return fail(SWATHE_ERROR_ARGUMENT,
                        "%s: struct_size is %zu; initialise it with SWATHE_INIT", name, size);
        memcpy(own, given, size < own_size ? size : own_size);
    }
    memcpy(own, &own_size, sizeof own_size);
    for (size_t i = own_size; i < size; i++)
        if (((const char *)given)[i])
            return fail(SWATHE_ERROR_UNSUPPORTED,
                        "%s: a field that this library (%s) does not know is set", name,
                        SWATHE_VERSION);
    return SWATHE_OK;
}

swathe_status api_give(void *given, const void *own, size_t own_size, const char *name)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < 2 * sizeof size || size > 1 << 16 || size % sizeof size)
        return fail(SWATHE_ERROR_ARGUMENT, "%s: struct_size is %zu; initialise it with SWATHE_INIT",
                    name, size);
    size_t known = size < own_size ? size : own_size;
    memcpy((char *)given + sizeof size, (const char *)own + sizeof size, known - sizeof size);
    return SWATHE_OK;
}

const char *swathe_status_name(swathe_status status)
{
    for (int i = 0; status_entry(i); i++)
        if (status_entry(i)->status == status)
            return status_entry(i)->name;
    return "unknown";
}

const char *swathe_version(void)
{
    return SWATHE_VERSION;
}

int32_t swathe_contract(void)
{
    return SWATHE_CONTRACT;
}

swathe_status swathe_context_create(const swathe_context_options *options, swathe_context **context)
{
    swathe_context_options o;
    struct failure kept = fail_keep();
    REQUIRE(context);
    TRY(TAKE(o, options));
    if (o.threads < 0 || o.threads > POOL_CALLS_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "threads is %d; it must be 0 to %d", o.threads,
                    POOL_CALLS_MAX);
    if (o.max_memory < 0)
        return fail(SWATHE_ERROR_ARGUMENT, "max_memory is %" PRId64 "; it must not be negative",
                    o.max_memory);
    if (o.cached_plans < -1)
        return fail(SWATHE_ERROR_ARGUMENT, "cached_plans is %d; it must be -1 (none) or more",
                    o.cached_plans);
    if (!o.allocate != !o.release)
        return fail(SWATHE_ERROR_ARGUMENT, "set both allocate and release, or neither");
    struct memory memory = memory_default;
    if (o.allocate)
        memory = (struct memory){o.allocate, o.release, o.allocator_user};
    swathe_context *got;
    TRY(memory_new(&memory, 1, sizeof *got, "a context", &got));
    got->memory = memory;
    plan_cache_init(&got->plans, o.cached_plans);
    got->max_memory = o.max_memory > 0 ? o.max_memory : os_memory_default();
    swathe_status status =
        pool_create(&got->memory, o.threads > 0 ? o.threads : os_cpu_count(),
                    (pool_parallel_for *)o.parallel_for, o.parallel_user, &got->pool);
    if (status == SWATHE_OK)
        status = wisdom_create(&got->memory, o.wisdom, &got->wisdom);
    if (status == SWATHE_OK)
        status = gpu_devices_create(&got->memory, o.programs, &got->devices);
    if (status != SWATHE_OK) {
        swathe_context_destroy(got);
        return status;
    }
    *context = got;
    return fail_release(&kept, SWATHE_OK);
}

void swathe_context_destroy(swathe_context *context)
{
    if (!context)
        return;
    struct memory memory = context->memory;
    plan_cache_destroy(&context->plans);
    gpu_devices_destroy(context->devices);
    wisdom_destroy(context->wisdom);
    pool_destroy(context->pool);
    memory_free(&memory, context);
}

swathe_status swathe_shape_bytes(const swathe_shape *shape, int64_t *bytes)
{
    int64_t got;
    REQUIRE(shape);
    REQUIRE(bytes);
    TRY(shape_bytes(shape, &got));
    *bytes = got;
    return SWATHE_OK;
}

swathe_status swathe_image_init(const swathe_shape *shape, swathe_layout layout, void *data,
                                swathe_image *image)
{
    swathe_image view;
    REQUIRE(shape);
    REQUIRE(image);
    if (layout != SWATHE_INTERLEAVED && layout != SWATHE_PLANAR)
        return fail(SWATHE_ERROR_ARGUMENT, "layout is %d; it must be 0 or 1", (int)layout);
    TRY(view_init(shape, layout, data, &view));
    return GIVE(image, view);
}

swathe_status swathe_image_crop(const swathe_image *image, const swathe_rect *rect,
                                swathe_image *tile)
{
    swathe_image own, part;
    REQUIRE(image);
    REQUIRE(rect);
    REQUIRE(tile);
    TRY(TAKE(own, image));
    TRY(view_check(&own, "image"));
    TRY(view_crop(&own, rect, &part));
    return GIVE(tile, part);
}

swathe_status swathe_chain_parse(swathe_context *context, const char *text, swathe_chain **chain)
{
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(text);
    REQUIRE(chain);
    swathe_chain *got;
    TRY(memory_new(&context->memory, 1, sizeof *got, "a chain", &got));
    got->memory = &context->memory;
    struct float_mode mode = float_mode_enter(); /* taps must not depend on the caller's flags */
    swathe_status status = chain_parse(&context->memory, text, &got->chain);
    float_mode_leave(mode);
    if (status != SWATHE_OK) {
        memory_free(&context->memory, got);
        return status;
    }
    *chain = got;
    return fail_release(&kept, SWATHE_OK);
}

swathe_status swathe_chain_append(swathe_context *context, swathe_chain *chain, const char *text)
{
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(chain);
    REQUIRE(text);
    struct float_mode mode = float_mode_enter();
    swathe_status status = chain_append(chain->chain, text);
    float_mode_leave(mode);
    return fail_release(&kept, status);
}

swathe_status swathe_chain_append_mask(swathe_context *context, swathe_chain *chain,
                                       const swathe_mask *masks, int32_t count, const char *options)
{
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(chain);
    REQUIRE(masks);
    swathe_mask *own;
    if (count < 1 || count > VIEW_CHANNELS_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "%d masks; give 1, or one per channel", count);
    TRY(memory_new(&context->memory, count, sizeof *own, "masks", &own));
    swathe_status status = SWATHE_OK;
    /* The stride of the array is the size of the struct that the caller was compiled with. */
    for (int32_t i = 0; i < count && status == SWATHE_OK; i++) {
        const void *mask = (const char *)masks + (size_t)i * masks->struct_size;
        status = TAKE(own[i], mask);
    }
    struct float_mode mode = float_mode_enter();
    if (status == SWATHE_OK)
        status = chain_append_masks(chain->chain, own, count, options);
    float_mode_leave(mode);
    memory_free(&context->memory, own);
    return fail_release(&kept, status);
}

void swathe_chain_destroy(swathe_chain *chain)
{
    if (!chain)
        return;
    chain_free(chain->chain);
    memory_free(chain->memory, chain);
}

int32_t swathe_chain_stages(const swathe_chain *chain)
{
    return chain ? chain->chain->count : 0;
}

swathe_status swathe_chain_text(const swathe_chain *chain, char *text, size_t size, size_t *needed)
{
    REQUIRE(chain);
    return chain_text(chain->chain, text, text ? size : 0, needed);
}

swathe_status swathe_chain_mask(const swathe_chain *chain, int32_t stage, int32_t channel,
                                swathe_mask *mask)
{
    swathe_mask own;
    REQUIRE(chain);
    REQUIRE(mask);
    TRY(chain_mask(chain->chain, stage, channel, &own));
    return GIVE(mask, own);
}

#define ROWS_MOST ((int64_t)1 << 40) /* more than any image has; can be added to others */

static swathe_status check_run(swathe_run_options *o)
{
    if (o->threads < 0 || o->threads > POOL_CALLS_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "threads is %d; it must be 0 to %d", o->threads,
                    POOL_CALLS_MAX);
    if (o->cell_rows < 0 || o->span_columns < 0)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "cell_rows is %" PRId64 " and span_columns %" PRId64
                    "; neither may be negative",
                    o->cell_rows, o->span_columns);
    o->cell_rows = min64(o->cell_rows, ROWS_MOST);
    return SWATHE_OK;
}

/* What a run reports, in our own structs: those of the caller may be shorter or longer. */
struct reports {
    swathe_run_times times, *times_to;
    swathe_clamped clamped, *clamped_to;
};

static swathe_status begin_reports(swathe_run_options *o, struct reports *own)
{
    own->times_to = o->times;
    own->clamped_to = o->clamped;
    if (o->times) {
        TRY(api_take(&own->times, sizeof own->times, o->times, "times"));
        own->times = SWATHE_INIT(swathe_run_times);
        o->times = &own->times;
    }
    if (o->clamped) {
        TRY(api_take(&own->clamped, sizeof own->clamped, o->clamped, "clamped"));
        own->clamped = SWATHE_INIT(swathe_clamped);
        o->clamped = &own->clamped;
    }
    return SWATHE_OK;
}

/* Copies the reports of a successful run to the structs in `options`. */
static swathe_status end_reports(swathe_status status, const struct reports *own)
{
    TRY(status);
    if (own->times_to)
        TRY(api_give(own->times_to, &own->times, sizeof own->times, "times"));
    if (own->clamped_to)
        TRY(api_give(own->clamped_to, &own->clamped, sizeof own->clamped, "clamped"));
    return SWATHE_OK;
}

swathe_status swathe_run(swathe_context *context, const swathe_plan *plan,
                         const swathe_image *source, const swathe_image *destination,
                         const swathe_run_options *options)
{
    swathe_image from, to;
    swathe_run_options o;
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(plan);
    REQUIRE(source);
    REQUIRE(destination);
    TRY(TAKE(from, source));
    TRY(TAKE(to, destination));
    TRY(TAKE(o, options));
    TRY(check_run(&o));
    struct reports own;
    TRY(begin_reports(&o, &own));
    swathe_status status =
        run_in_memory(&context->memory, context->pool, plan->plan, &from, &to, &o);
    return fail_release(&kept, end_reports(status, &own));
}

/* Plans the chain for the image, whose result has the type of `to` unless that is the default. */
static swathe_status plan_chain(swathe_context *context, const char *text, const swathe_image *from,
                                const swathe_image *to, swathe_plan **plan)
{
    swathe_plan_options options = SWATHE_INIT(swathe_plan_options);
    swathe_chain *chain;
    swathe_shape shape = view_shape(from);
    options.type = to->type;
    TRY(swathe_chain_parse(context, text, &chain));
    swathe_status status = swathe_plan_create(context, chain, &shape, &options, plan);
    swathe_chain_destroy(chain);
    return status;
}

/* Memory for the whole result of a plan. */
static swathe_status allocate_result(swathe_context *context, const swathe_plan *plan,
                                     swathe_image *result)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    int64_t bytes;
    uint8_t *data;
    struct limits limits = {.max_memory = context->max_memory};
    TRY(swathe_plan_get(plan, &info));
    TRY(shape_bytes(&info.result, &bytes));
    TRY(limits_check_memory(&limits, bytes, "the result"));
    TRY(memory_new_raw(&context->memory, bytes, 1, "the result", &data));
    return view_init(&info.result, SWATHE_INTERLEAVED, data, result);
}

swathe_status swathe_filter(swathe_context *context, const char *chain, const swathe_image *source,
                            swathe_image *destination)
{
    swathe_image from, to;
    swathe_plan *plan;
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(chain);
    REQUIRE(source);
    REQUIRE(destination);
    TRY(TAKE(from, source));
    TRY(TAKE(to, destination));
    TRY(plan_chain(context, chain, &from, &to, &plan));
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    bool own = to.data == NULL;
    swathe_status status = own ? allocate_result(context, plan, &to) : swathe_plan_get(plan, &info);
    if (!to.type)
        to.type = info.result.type;
    if (status == SWATHE_OK)
        status = swathe_run(context, plan, &from, &to, NULL);
    swathe_plan_destroy(plan);
    if (status == SWATHE_OK && own)
        status = GIVE(destination, to);
    if (status != SWATHE_OK && own)
        memory_free(&context->memory, to.data);
    return fail_release(&kept, status);
}

swathe_status swathe_run_stream(swathe_context *context, const swathe_plan *plan,
                                swathe_source *source, swathe_sink *sink,
                                const swathe_run_options *options)
{
    swathe_run_options o;
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(plan);
    REQUIRE(source);
    REQUIRE(sink);
    TRY(TAKE(o, options));
    TRY(check_run(&o));
    struct reports own;
    TRY(begin_reports(&o, &own));
    swathe_status status =
        run_stream(&context->memory, context->pool, plan->plan, source, sink, &o);
    return fail_release(&kept, end_reports(status, &own));
}
