/* Public functions on sources and sinks. */
#include "api.h"

#include "base/checked.h"
#include "image/view.h"
#include "io/file.h"
#include "run/part.h"
#include "run/run.h"

#include <inttypes.h>
#include <string.h>

/* ---- Functions of the caller ----------------------------------------------------------------- */

swathe_status swathe_source_wrap(swathe_context *context, const swathe_source_info *info,
                                 const swathe_source_callbacks *callbacks, swathe_source **source)
{
    swathe_source_info i;
    swathe_source_callbacks c;
    swathe_source *made;
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(info);
    REQUIRE(callbacks);
    REQUIRE(source);
    TRY(TAKE(i, info));
    TRY(TAKE(c, callbacks));
    if (!c.read)
        return fail(SWATHE_ERROR_ARGUMENT, "the source has no read function");
    TRY(file_check_ends(&i.shape, i.tile_width, i.tile_height, i.flags, "the source"));
    if (i.flags & SWATHE_PAGES)
        return fail(SWATHE_ERROR_UNSUPPORTED, "the source: SWATHE_PAGES is a flag of sinks");
    if (i.pages < 0 || i.held_bytes < 0)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the source: pages is %" PRId64 " and held_bytes %" PRId64
                    "; neither may be negative",
                    i.pages, i.held_bytes);
    TRY(memory_new(&context->memory, 1, sizeof *made, "a source", &made));
    *made = (swathe_source){.memory = &context->memory,
                            .user = c.user,
                            .shape = i.shape,
                            .flags = (uint32_t)i.flags,
                            .tile_width = i.tile_width,
                            .tile_height = i.tile_height,
                            .metadata = i.metadata,
                            .format = i.format,
                            .pages = i.pages,
                            .held_bytes = i.held_bytes,
                            .read = c.read,
                            .destroy = c.destroy};
    *source = made;
    return fail_release(&kept, SWATHE_OK);
}

swathe_status swathe_sink_wrap(swathe_context *context, const swathe_sink_info *info,
                               const swathe_sink_callbacks *callbacks, swathe_sink **sink)
{
    swathe_sink_info i;
    swathe_sink_callbacks c;
    swathe_sink *made;
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(info);
    REQUIRE(callbacks);
    REQUIRE(sink);
    TRY(TAKE(i, info));
    TRY(TAKE(c, callbacks));
    if (!c.write)
        return fail(SWATHE_ERROR_ARGUMENT, "the sink has no write function");
    TRY(file_check_ends(&i.shape, i.tile_width, i.tile_height, i.flags, "the sink"));
    TRY(memory_new(&context->memory, 1, sizeof *made, "a sink", &made));
    *made = (swathe_sink){.memory = &context->memory,
                          .user = c.user,
                          .write = c.write,
                          .commit = c.commit,
                          .destroy = c.destroy,
                          .next_page = c.next_page};
    i.flags = (i.flags & ~(uint64_t)SWATHE_PAGES) | (c.next_page ? SWATHE_PAGES : 0);
    sink_take_info(made, &i);
    *sink = made;
    return fail_release(&kept, SWATHE_OK);
}

/* ---- Sources --------------------------------------------------------------------------------- */

swathe_status swathe_source_get(const swathe_source *source, swathe_source_info *info)
{
    swathe_source_info own = SWATHE_INIT(swathe_source_info);
    REQUIRE(source);
    REQUIRE(info);
    own.shape = source->shape;
    own.tile_width = source->tile_width;
    own.tile_height = source->tile_height;
    own.metadata = source->metadata;
    own.format = source->format;
    own.pages = source->pages;
    own.held_bytes = source->held_bytes;
    own.flags = source->flags;
    return GIVE(info, own);
}

/* A part of a caller's source or sink. Files check more, and name themselves. */
static swathe_status check_part(const swathe_shape *shape, const swathe_image *part)
{
    swathe_rect rect = view_rect(part);
    if (part->type != shape->type || part->channels != shape->channels)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the part has %d channels of type %d, the image %d of type %d", part->channels,
                    (int)part->type, shape->channels, (int)shape->type);
    return view_check_within(shape, &rect);
}

swathe_status swathe_source_read(swathe_source *source, const swathe_image *into)
{
    swathe_image own;
    struct failure kept = fail_keep();
    REQUIRE(source);
    REQUIRE(into);
    TRY(TAKE(own, into));
    if (source->memory) {
        TRY(view_check_result(&own, "the view to read into"));
        TRY(check_part(&source->shape, &own));
    }
    return fail_release(&kept, part_read(source, &own));
}

void swathe_source_destroy(swathe_source *source)
{
    struct failure kept = fail_keep();
    file_close(source);
    fail_release(&kept, SWATHE_OK);
}

/* ---- Sinks ----------------------------------------------------------------------------------- */

swathe_status swathe_sink_get(const swathe_sink *sink, swathe_sink_info *info)
{
    REQUIRE(sink);
    REQUIRE(info);
    swathe_sink_info own = sink_info(sink);
    return GIVE(info, own);
}

swathe_status swathe_sink_write(swathe_sink *sink, const swathe_image *from)
{
    swathe_image own;
    struct failure kept = fail_keep();
    REQUIRE(sink);
    REQUIRE(from);
    TRY(TAKE(own, from));
    if (sink->memory) {
        TRY(view_check(&own, "the view to write from"));
        TRY(check_part(&sink->shape, &own));
    }
    return fail_release(&kept, part_write(sink, &own));
}

swathe_status swathe_sink_next_page(swathe_sink *sink, const swathe_shape *shape,
                                    const swathe_metadata *metadata)
{
    swathe_metadata own_metadata;
    struct failure kept = fail_keep();
    REQUIRE(sink);
    REQUIRE(shape);
    TRY(TAKE(own_metadata, metadata));
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

/* ---- From sources to sinks ------------------------------------------------------------------- */

/* Sets the metadata of the result: the source's, with the position of the result in the source. */
static swathe_status api_source_place(const swathe_source *source, const swathe_plan_info *info,
                                      const swathe_rect *part, swathe_metadata *metadata)
{
    TRY(api_take(metadata, sizeof *metadata, source->metadata, "source.metadata"));
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
        TRY(api_source_place(source, &info, &part, &made));
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
    swathe_difference got = SWATHE_INIT(swathe_difference);
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(a);
    REQUIRE(b);
    REQUIRE(difference);
    swathe_status status = run_compare(&context->memory, a, b, &got);
    if (status == SWATHE_OK)
        status = GIVE(difference, got);
    return fail_release(&kept, status);
}
