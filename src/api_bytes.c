/* Public functions on encoded bytes and on whole images. */
#include "api.h"

#include "image/view.h"
#include "io/bytes/in_memory.h"
#include "io/bytes/output.h"
#include "io/file.h"
#include "io/limits.h"
#include "io/whole_image.h"

/* ---- Readers and writers -------------------------------------------------------------------- */

/* `taken`: ownership of the reader was passed to the source. */
static swathe_status open_reader(swathe_context *context, const swathe_reader *reader,
                                 const swathe_read_options *options, swathe_source **source,
                                 bool *taken)
{
    swathe_read_options o;
    REQUIRE(context);
    REQUIRE(source);
    TRY(TAKE(o, options));
    *taken = true;
    return file_open_reader(&context->memory, context->max_memory, reader, &o, source);
}

swathe_status swathe_source_open(swathe_context *context, const swathe_reader *reader,
                                 const swathe_read_options *options, swathe_source **source)
{
    swathe_reader own;
    struct failure kept = fail_keep();
    bool taken = false;
    REQUIRE(reader);
    swathe_status status = TAKE(own, reader);
    if (status == SWATHE_OK)
        status = open_reader(context, &own, options, source, &taken);
    if (!taken && own.destroy)
        own.destroy(own.user);
    return fail_release(&kept, status);
}

static swathe_status create_writer(swathe_context *context, const swathe_writer *writer,
                                   const swathe_shape *shape, const swathe_metadata *metadata,
                                   const swathe_write_options *options, swathe_sink **sink,
                                   bool *taken)
{
    swathe_write_options o;
    swathe_metadata own_metadata;
    REQUIRE(context);
    REQUIRE(shape);
    REQUIRE(sink);
    if (!writer->write)
        return fail(SWATHE_ERROR_ARGUMENT, "the writer has no write function");
    TRY(TAKE(o, options));
    TRY(TAKE(own_metadata, metadata));
    *taken = true;
    return file_create_writer(&context->memory, context->max_memory, writer, shape, &own_metadata,
                              &o, sink);
}

swathe_status swathe_sink_create(swathe_context *context, const swathe_writer *writer,
                                 const swathe_shape *shape, const swathe_metadata *metadata,
                                 const swathe_write_options *options, swathe_sink **sink)
{
    swathe_writer own;
    struct failure kept = fail_keep();
    bool taken = false;
    REQUIRE(writer);
    swathe_status status = TAKE(own, writer);
    if (status == SWATHE_OK)
        status = create_writer(context, &own, shape, metadata, options, sink, &taken);
    if (!taken && own.abandon)
        own.abandon(own.user);
    return fail_release(&kept, status);
}

swathe_status swathe_reader_memory(const void *bytes, size_t size, swathe_reader *reader)
{
    swathe_reader made;
    uint64_t wide = size;
    REQUIRE(bytes);
    REQUIRE(reader);
    if (wide > INT64_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "%zu bytes exceed 2^63", size);
    bytes_reader(bytes, size, &made);
    return GIVE(reader, made);
}

swathe_status swathe_writer_memory(swathe_context *context, void **bytes, size_t *size,
                                   swathe_writer *writer)
{
    swathe_writer made;
    REQUIRE(context);
    REQUIRE(bytes);
    REQUIRE(size);
    REQUIRE(writer);
    TRY(bytes_writer(&context->memory, bytes, size, &made));
    swathe_status status = GIVE(writer, made);
    if (status != SWATHE_OK)
        made.abandon(made.user);
    return status;
}

swathe_status swathe_writer_file(swathe_context *context, const char *path,
                                 const swathe_write_options *options, swathe_writer *writer)
{
    swathe_write_options o;
    swathe_writer made;
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(path);
    REQUIRE(writer);
    TRY(TAKE(o, options));
    struct output_options wanted = {
        o.overwrite != 0, o.unsynced != 0, o.nofollow != 0, {o.cancelled, o.cancel_user}};
    TRY(output_writer(&context->memory, path, &wanted, &made));
    swathe_status status = GIVE(writer, made);
    if (status != SWATHE_OK)
        made.abandon(made.user);
    return fail_release(&kept, status);
}

void swathe_free(swathe_context *context, void *memory)
{
    if (context)
        memory_free(&context->memory, memory);
}

/* ---- Whole images --------------------------------------------------------------------------- */

static swathe_status api_bytes_load(swathe_context *context, const swathe_source *source,
                                    const swathe_read_options *options, swathe_image *image,
                                    swathe_metadata *metadata)
{
    swathe_read_options o;
    swathe_image view;
    swathe_metadata copy;
    TRY(TAKE(o, options));
    TRY(TAKE(view, image)); /* checks sizes now: nothing may fail after the image was loaded */
    TRY(TAKE(copy, metadata));
    TRY(whole_image_load(&context->memory, limits_reading(&o, context->max_memory).max_memory,
                         source, &view, metadata ? &copy : NULL));
    TRY(GIVE(image, view));
    return metadata ? GIVE(metadata, copy) : SWATHE_OK;
}

swathe_status swathe_load(swathe_context *context, const char *path,
                          const swathe_read_options *options, swathe_image *image,
                          swathe_metadata *metadata)
{
    swathe_source *source = NULL;
    struct failure kept = fail_keep();
    REQUIRE(image);
    TRY(swathe_file_open(context, path, options, &source));
    swathe_status status = api_bytes_load(context, source, options, image, metadata);
    file_close(source);
    return fail_release(&kept, status);
}

swathe_status swathe_load_bytes(swathe_context *context, const void *bytes, size_t size,
                                const swathe_read_options *options, swathe_image *image,
                                swathe_metadata *metadata)
{
    swathe_source *source = NULL;
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    struct failure kept = fail_keep();
    REQUIRE(image);
    TRY(swathe_reader_memory(bytes, size, &reader));
    TRY(swathe_source_open(context, &reader, options, &source));
    swathe_status status = api_bytes_load(context, source, options, image, metadata);
    file_close(source);
    return fail_release(&kept, status);
}

/* A tile is saved as a separate image. */
static swathe_status take_alone(const swathe_image *image, swathe_image *view)
{
    TRY(TAKE(*view, image));
    view->x = view->y = 0;
    view->full_width = view->full_height = 0;
    return SWATHE_OK;
}

swathe_status swathe_save(swathe_context *context, const swathe_image *image,
                          const swathe_metadata *metadata, const char *path,
                          const swathe_write_options *options)
{
    swathe_sink *sink = NULL;
    swathe_image view;
    struct failure kept = fail_keep();
    REQUIRE(image);
    TRY(take_alone(image, &view));
    swathe_shape shape = view_shape(&view);
    TRY(swathe_file_create(context, path, &shape, metadata, options, &sink));
    swathe_status status = whole_image_save(&view, sink);
    file_discard(sink);
    return fail_release(&kept, status);
}

swathe_status swathe_save_bytes(swathe_context *context, const swathe_image *image,
                                const swathe_metadata *metadata,
                                const swathe_write_options *options, void **bytes, size_t *size)
{
    swathe_sink *sink = NULL;
    swathe_image view;
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    struct failure kept = fail_keep();
    REQUIRE(image);
    TRY(take_alone(image, &view));
    swathe_shape shape = view_shape(&view);
    TRY(swathe_writer_memory(context, bytes, size, &writer));
    TRY(swathe_sink_create(context, &writer, &shape, metadata, options, &sink));
    swathe_status status = whole_image_save(&view, sink);
    file_discard(sink);
    return fail_release(&kept, status);
}
