/* Public functions on files. */
#include "api.h"

#include "image/view.h"
#include "io/choose_format.h"
#include "io/file.h"

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
    TRY(TAKE(o, options));
    TRY(file_open(&context->memory, context->max_memory, path, &o, &got));
    *source = got;
    return fail_release(&kept, SWATHE_OK);
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
    TRY(TAKE(own_metadata, metadata));
    TRY(file_create(&context->memory, context->max_memory, path, shape, &own_metadata, &o, &got));
    *sink = got;
    return fail_release(&kept, SWATHE_OK);
}

swathe_status swathe_file_type(const char *path, const swathe_write_options *options,
                               const swathe_shape *shape, swathe_values values, swathe_type *type)
{
    swathe_write_options o;
    const struct codec *codec;
    REQUIRE(path);
    REQUIRE(shape);
    REQUIRE(type);
    TRY(TAKE(o, options));
    TRY(shape_check(shape));
    TRY(o.format ? format_named(o.format, &codec) : format_for_path(path, true, &codec));
    bool any = values == SWATHE_VALUES_SCALE || values == SWATHE_VALUES_FIT;
    *type = values == SWATHE_VALUES_KEEP ? shape->type : format_type(codec, shape, any);
    return SWATHE_OK;
}
