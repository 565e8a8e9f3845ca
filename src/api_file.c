/* Public functions on files. */
#include "api.h"

#include "io/file.h"
#include "run/run.h"

swathe_status swathe_file_open(swathe_context *context, const char *path,
                               const swathe_read_options *options, swathe_source **source)
{
    swathe_read_options o;
    swathe_source *got = NULL;
    struct fail_kept kept = fail_keep();
    REQUIRE(context);
    REQUIRE(path);
    REQUIRE(source);
    TRY(TAKE(o, options));
    TRY(file_open(&context->memory, context->max_memory, path, &o, &got));
    *source = got;
    return fail_release(&kept, SWATHE_OK);
}

void swathe_source_destroy(swathe_source *source)
{
    struct fail_kept kept = fail_keep();
    file_close(source);
    fail_release(&kept, SWATHE_OK);
}

swathe_status swathe_file_create(swathe_context *context, const char *path,
                                 const swathe_shape *shape, const swathe_metadata *metadata,
                                 const swathe_write_options *options, swathe_sink **sink)
{
    swathe_write_options o;
    swathe_metadata own_metadata;
    swathe_sink *got = NULL;
    struct fail_kept kept = fail_keep();
    REQUIRE(context);
    REQUIRE(path);
    REQUIRE(shape);
    REQUIRE(sink);
    TRY(TAKE(o, options));
    TRY(TAKE(own_metadata, metadata));
    TRY(file_create(&context->memory, context->max_memory, path, shape, &own_metadata, &o, &got));
    *sink = got;
    return fail_release(&kept, SWATHE_OK);
}

swathe_status swathe_sink_next_page(swathe_sink *sink, const swathe_shape *shape,
                                    const swathe_metadata *metadata)
{
    swathe_metadata own_metadata;
    struct fail_kept kept = fail_keep();
    REQUIRE(sink);
    REQUIRE(shape);
    TRY(TAKE(own_metadata, metadata));
    return fail_release(&kept, file_next_page(sink, shape, &own_metadata));
}

swathe_status swathe_sink_commit(swathe_sink *sink)
{
    struct fail_kept kept = fail_keep();
    REQUIRE(sink);
    return fail_release(&kept, file_commit(sink));
}

void swathe_sink_destroy(swathe_sink *sink)
{
    struct fail_kept kept = fail_keep();
    file_discard(sink);
    fail_release(&kept, SWATHE_OK);
}

/* The result has the region's size, which is the whole result where none is given. */
static void set_region(swathe_shape *shape, const swathe_run_options *o)
{
    if (o->region.width > 0) {
        shape->width = o->region.width;
        shape->height = o->region.height;
    }
}

/* The source's metadata, and which part of the source the result shows. */
static swathe_metadata placed(const swathe_source *source, const swathe_plan_info *info,
                              const swathe_run_options *o)
{
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    if (source->metadata)
        metadata = *source->metadata;
    metadata.geo_x += info->origin_x + (o->region.width > 0 ? o->region.x : 0);
    metadata.geo_y += info->origin_y + (o->region.width > 0 ? o->region.y : 0);
    return metadata;
}

static swathe_status apply_open(swathe_context *context, const swathe_chain *chain,
                                const swathe_source *source, const char *out_path,
                                const swathe_plan_options *plan_options,
                                const swathe_write_options *write_options,
                                const swathe_run_options *run_options)
{
    swathe_plan *plan = NULL;
    swathe_sink *sink = NULL;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_run_options o;
    TRY(TAKE(o, run_options));
    swathe_status status = swathe_plan_create(context, chain, &source->shape, plan_options, &plan);
    if (status == SWATHE_OK)
        status = swathe_plan_get(plan, &info);
    set_region(&info.result, &o);
    swathe_metadata metadata = placed(source, &info, &o);
    if (status == SWATHE_OK)
        status =
            swathe_file_create(context, out_path, &info.result, &metadata, write_options, &sink);
    if (status == SWATHE_OK)
        status = swathe_run_stream(context, plan, source, sink, &o);
    if (status == SWATHE_OK)
        status = swathe_sink_commit(sink);
    swathe_sink_destroy(sink);
    swathe_plan_destroy(plan);
    return status;
}

swathe_status swathe_apply_file(swathe_context *context, const char *chain, const char *in_path,
                                const char *out_path, const swathe_plan_options *plan_options,
                                const swathe_read_options *read_options,
                                const swathe_write_options *write_options,
                                const swathe_run_options *run_options)
{
    swathe_chain *parsed = NULL;
    swathe_source *source = NULL;
    struct fail_kept kept = fail_keep();
    REQUIRE(context);
    swathe_status status = swathe_chain_parse(context, chain, &parsed);
    if (status == SWATHE_OK)
        status = swathe_file_open(context, in_path, read_options, &source);
    if (status == SWATHE_OK)
        status =
            apply_open(context, parsed, source, out_path, plan_options, write_options, run_options);
    swathe_source_destroy(source);
    swathe_chain_destroy(parsed);
    return fail_release(&kept, status);
}

swathe_status swathe_compare(swathe_context *context, const swathe_source *a,
                             const swathe_source *b, swathe_difference *difference)
{
    swathe_source own_a, own_b;
    swathe_difference got = SWATHE_INIT(swathe_difference);
    struct fail_kept kept = fail_keep();
    REQUIRE(context);
    REQUIRE(a);
    REQUIRE(b);
    REQUIRE(difference);
    TRY(TAKE(own_a, a));
    TRY(TAKE(own_b, b));
    REQUIRE(own_a.read);
    REQUIRE(own_b.read);
    TRY(run_compare(&context->memory, &own_a, &own_b, &got));
    return fail_release(&kept, GIVE(difference, got));
}
