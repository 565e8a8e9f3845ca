/* Public functions on files. */
#include "api.h"

#include "base/checked.h"
#include "image/view.h"
#include "io/choose_format.h"
#include "io/file.h"
#include "run/run.h"

#include <inttypes.h>
#include <string.h>

swathe_status swathe_file_open(swathe_context *context, const char *path,
                               const swathe_read_options *options, swathe_source **source)
{
    swathe_read_options o;
    swathe_source *got = NULL;
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(path);
    REQUIRE(source);
    TRY(TAKE0(o, options));
    TRY(file_open(&context->memory, context->max_memory, path, &o, &got));
    *source = got;
    return fail_release(&kept, SWATHE_OK);
}

void swathe_source_destroy(swathe_source *source)
{
    struct failure kept = fail_keep();
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
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(path);
    REQUIRE(shape);
    REQUIRE(sink);
    TRY(TAKE(o, options));
    TRY(TAKE_ANY(own_metadata, metadata));
    TRY(file_create(&context->memory, context->max_memory, path, shape, &own_metadata, &o, &got));
    *sink = got;
    return fail_release(&kept, SWATHE_OK);
}

swathe_status swathe_file_type(const char *path, const swathe_write_options *options,
                               const swathe_shape *shape, const char *values, swathe_type *type)
{
    swathe_write_options o;
    const struct codec *codec;
    REQUIRE(path);
    REQUIRE(shape);
    REQUIRE(type);
    TRY(TAKE(o, options));
    TRY(shape_check(shape));
    TRY(o.format ? format_named(o.format, &codec) : format_for_path(path, true, &codec));
    bool any = values && (strcmp(values, "scale") == 0 || strncmp(values, "fit", 3) == 0);
    bool kept = values && !any;
    *type = kept ? shape->type : format_type(codec, shape, any);
    return SWATHE_OK;
}

swathe_status swathe_sink_next_page(swathe_sink *sink, const swathe_shape *shape,
                                    const swathe_metadata *metadata)
{
    swathe_metadata own_metadata;
    struct failure kept = fail_keep();
    REQUIRE(sink);
    REQUIRE(shape);
    TRY(TAKE_ANY(own_metadata, metadata));
    return fail_release(&kept, file_next_page(sink, shape, &own_metadata));
}

swathe_status swathe_sink_commit(swathe_sink *sink)
{
    struct failure kept = fail_keep();
    REQUIRE(sink);
    return fail_release(&kept, file_commit(sink));
}

void swathe_sink_destroy(swathe_sink *sink)
{
    struct failure kept = fail_keep();
    file_discard(sink);
    fail_release(&kept, SWATHE_OK);
}

/* Sets the metadata of the result: the source's, with the position of the result in the source. */
static swathe_status place(const swathe_source *source, const swathe_plan_info *info,
                           const swathe_rect *part, swathe_metadata *metadata)
{
    swathe_source own;
    TRY(TAKE0(own, source));
    TRY(api_take(metadata, sizeof *metadata, own.metadata, "source.metadata"));
    /* A profile describes a number of colours. */
    if (info->result.channels - (info->result.alpha > 0) !=
        info->source.channels - (info->source.alpha > 0)) {
        metadata->icc = NULL;
        metadata->icc_size = 0;
    }
    if (info->nodata) /* the result of a mask has no value of its own for missing samples */
        metadata->nodata = strcmp(info->nodata, "mask") == 0 ? "" : info->nodata;
    if (!checked_add(metadata->geo_x, info->origin_x + part->x, &metadata->geo_x) ||
        !checked_add(metadata->geo_y, info->origin_y + part->y, &metadata->geo_y))
        return fail(SWATHE_ERROR_ARGUMENT, "source.metadata: geo_x or geo_y exceeds 2^63");
    return SWATHE_OK;
}

swathe_status swathe_plan_output(const swathe_plan *plan, const swathe_source *source,
                                 const swathe_rect *region, swathe_shape *shape,
                                 swathe_metadata *metadata)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    REQUIRE(source);
    REQUIRE(shape);
    TRY(swathe_plan_get(plan, &info));
    swathe_rect whole = {0, 0, info.result.width, info.result.height}, part = whole;
    if (region && !rect_is_default(region))
        part = *region;
    if (part.width < 1 || part.height < 1 || !rect_contains(&whole, &part))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the region %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64
                    " is not within the result of %" PRId64 " x %" PRId64,
                    part.width, part.height, part.x, part.y, whole.width, whole.height);
    if (metadata) {
        swathe_metadata made;
        TRY(place(source, &info, &part, &made));
        TRY(GIVE(metadata, made));
    }
    *shape = info.result;
    shape->width = part.width;
    shape->height = part.height;
    return SWATHE_OK;
}

swathe_status swathe_compare(swathe_context *context, const swathe_source *a,
                             const swathe_source *b, swathe_difference *difference)
{
    swathe_source own_a, own_b;
    swathe_difference got = SWATHE_INIT(swathe_difference);
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(a);
    REQUIRE(b);
    REQUIRE(difference);
    TRY(TAKE0(own_a, a));
    TRY(TAKE0(own_b, b));
    TRY(api_check_source(&own_a));
    TRY(api_check_source(&own_b));
    swathe_status status = run_compare(&context->memory, &own_a, &own_b, &got);
    if (status == SWATHE_OK)
        status = GIVE(difference, got);
    return fail_release(&kept, status);
}
