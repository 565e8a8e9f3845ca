/* Image files as sinks: creation, the checks that all codecs share, and commit. */
#include "base/checked.h"
#include "image/view.h"
#include "io/bytes/output.h"
#include "io/choose_format.h"
#include "io/codec.h"
#include "io/file.h"
#include "io/metadata/metadata.h"
#include "io/written_parts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

struct file {
    swathe_sink sink; /* what the caller sees; user is this struct */
    struct image_writer writer;
    const struct codec *codec;
    char *path;
    swathe_metadata metadata;     /* own copy: the caller's source may be closed before commit */
    char nodata[NODATA_SIZE];     /* metadata.nodata may point here */
    swathe_encoding encoding;     /* likewise; all 0 if the source has another format */
    swathe_write_options options; /* likewise, except its strings */
    int64_t next_row;             /* of a SWATHE_FORWARD sink */
    int64_t pixels;               /* written so far */
    struct written_parts written; /* likewise, of other sinks */
    struct file_parts parts;      /* for writers that prepare and deliver */
    struct segments segments;     /* for writers without a `write` function */
    bool broken, done;
};

/* The codec's prepared data, and the part that it covers. */
struct file_prepared {
    swathe_rect part;
    void *codec;
};

static swathe_status file_write_named(const struct file *file, swathe_status status)
{
    return fail_named(status, file->path);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static swathe_status file_write_check_kind(const swathe_shape *shape, const swathe_image *from)
{
    TRY(view_check(from, "the view to write from"));
    if (from->type != shape->type || from->channels != shape->channels)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the view to write from has %d channels of %s, the file %d of %s",
                    from->channels, sample_entry(from->type)->name, shape->channels,
                    sample_entry(shape->type)->name);
    return SWATHE_OK;
}

/* True if a part starts at the edge of a tile and ends at one or at the image's edge. */
static bool file_write_whole_tiles(int64_t start, int64_t length, int64_t extent, int64_t tile)
{
    return tile <= 0 || (start % tile == 0 && (length % tile == 0 || start + length == extent));
}

static swathe_status file_write_check_place(const struct file *file, const swathe_rect *part)
{
    const struct image_writer *writer = &file->writer;
    TRY(view_check_within(&writer->shape, part));
    if ((writer->flags & SWATHE_FORWARD) && (part->x != 0 || part->width != writer->shape.width))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%s is written in full rows, not the part %" PRId64 "x%" PRId64 "+%" PRId64
                    "+%" PRId64,
                    file->codec->name, part->width, part->height, part->x, part->y);
    return SWATHE_OK;
}

static swathe_status check_tiles(const struct file *file, const swathe_rect *part)
{
    const struct image_writer *writer = &file->writer;
    if (file_write_whole_tiles(part->x, part->width, writer->shape.width, writer->tile_width) &&
        file_write_whole_tiles(part->y, part->height, writer->shape.height, writer->tile_height))
        return SWATHE_OK;
    return fail(SWATHE_ERROR_ARGUMENT,
                "the part %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64
                " does not consist of whole tiles of %" PRId64 " x %" PRId64,
                part->width, part->height, part->x, part->y,
                writer->tile_width ? writer->tile_width : writer->shape.width, writer->tile_height);
}

static swathe_status check_turn(const struct file *file, const swathe_rect *part)
{
    if (file->broken || file->done)
        return fail(SWATHE_ERROR_IO, "cannot be written after %s",
                    file->done ? "commit" : "an earlier error");
    if ((file->writer.flags & SWATHE_FORWARD) && part->y != file->next_row)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%s is written from top to bottom: row %" PRId64 " is next, not %" PRId64,
                    file->codec->name, file->next_row, part->y);
    return SWATHE_OK;
}

/* Adds a part to those written. Each pixel is written once: otherwise their number would not show
 * that all were. */
static swathe_status file_write_cover(struct file *file, const swathe_rect *part)
{
    if (file->writer.flags & SWATHE_FORWARD)
        return SWATHE_OK; /* check_turn suffices */
    if (written_parts_meets(&file->written, part))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "pixels of the part %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64
                    " were already written; write each pixel once",
                    part->width, part->height, part->x, part->y);
    return written_parts_add(&file->written, file->writer.memory, part);
}

static swathe_status file_write_check_part(const struct file *file, const swathe_image *from)
{
    const struct image_writer *writer = &file->writer;
    swathe_rect part = view_rect(from);
    TRY(file_write_check_kind(&writer->shape, from));
    TRY(file_write_check_place(file, &part));
    return writer->tile_width > 0 ? check_tiles(file, &part) : SWATHE_OK;
}

/* Records that a part was passed to the codec, or that this failed. */
static swathe_status record_part(struct file *file, const swathe_rect *part, swathe_status status)
{
    file->broken = status != SWATHE_OK;
    file->next_row = part->y + part->height;
    file->pixels += part->width * part->height;
    return file_write_named(file, status);
}

static swathe_status file_write_part(void *user, const swathe_image *from)
{
    struct file *file = user;
    struct image_writer *writer = &file->writer;
    swathe_rect part = view_rect(from);
    swathe_status status = check_turn(file, &part);
    if (status == SWATHE_OK)
        status = file_write_check_part(file, from);
    if (status == SWATHE_OK)
        status = cancel_check(&writer->cancel);
    if (status == SWATHE_OK)
        status = file_write_cover(file, &part);
    if (status != SWATHE_OK)
        return file_write_named(file, status);
    return record_part(file, &part,
                       writer->write ? writer->write(writer, from)
                                     : segments_write(&file->segments, writer, from));
}

/* Does not change `file`: several threads may call this at once. */
static swathe_status file_write_prepare(struct file *file, const swathe_image *from, int64_t above,
                                        struct file_prepared *prepared)
{
    prepared->part = view_rect(from);
    TRY(file_write_check_kind(&file->writer.shape, from));
    if (above < 0 || above >= from->height)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%" PRId64 " of %" PRId64
                    " rows are context above the part; at least one row must follow",
                    above, from->height);
    prepared->part.y += above;
    if (above < min64(file->writer.context_rows, prepared->part.y))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%" PRId64 " rows above the part at row %" PRId64 "; %s requires %" PRId64,
                    above, prepared->part.y, file->codec->name, file->writer.context_rows);
    prepared->part.height -= above;
    TRY(file_write_check_place(file, &prepared->part));
    TRY(check_tiles(file, &prepared->part));
    return file->writer.prepare(&file->writer, from, above, &prepared->codec);
}

static swathe_status prepare_part(void *user, const swathe_image *from, int64_t above, void **part)
{
    struct file *file = user;
    struct file_prepared *prepared;
    TRY(memory_new(file->writer.memory, 1, sizeof *prepared, "a part", &prepared));
    swathe_status status = file_write_prepare(file, from, above, prepared);
    if (status == SWATHE_OK)
        *part = prepared;
    else
        memory_free(file->writer.memory, prepared);
    return file_write_named(file, status);
}

static swathe_status deliver_part(void *user, void *part, bool wanted)
{
    struct file *file = user;
    struct image_writer *writer = &file->writer;
    struct file_prepared prepared = *(struct file_prepared *)part;
    memory_free(writer->memory, part);
    swathe_status status = wanted ? check_turn(file, &prepared.part) : SWATHE_OK;
    if (status == SWATHE_OK && wanted)
        status = file_write_cover(file, &prepared.part);
    if (status == SWATHE_OK && wanted)
        return record_part(file, &prepared.part, writer->deliver(writer, prepared.codec));
    writer->discard(writer, prepared.codec);
    return file_write_named(file, status);
}

static swathe_status file_write_check_complete(const struct file *file, const char *doing)
{
    const swathe_shape *shape = &file->writer.shape;
    if (file->broken || file->done)
        return fail(SWATHE_ERROR_IO, "cannot be %s after %s", doing,
                    file->done ? "commit" : "an earlier error");
    if (file->pixels != shape->width * shape->height)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "cannot be %s: %" PRId64 " of %" PRId64
                    " pixels were written, all are required",
                    doing, file->pixels, shape->width * shape->height);
    return SWATHE_OK;
}

static swathe_status file_write_finish(struct file *file)
{
    TRY(file_write_check_complete(file, "committed"));
    return file->writer.finish(&file->writer);
}

static swathe_status file_write_commit(void *user)
{
    struct file *file = user;
    swathe_status status = file_write_named(file, file_write_finish(file));
    if (status == SWATHE_OK)
        status = output_commit(file->writer.out);
    file->broken = status != SWATHE_OK;
    file->done = !file->broken;
    return status;
}

/* ---- Creating and closing ------------------------------------------------------------------- */

static void file_write_destroy(void *user)
{
    struct file *file = user;
    const struct memory *memory = file->writer.memory;
    if (file->writer.close)
        file->writer.close(&file->writer);
    output_destroy(file->writer.out);
    segments_free(&file->segments, memory);
    written_parts_free(&file->written, memory);
    metadata_drop(memory, &file->metadata);
    memory_free(memory, file->path);
    memory_free(memory, file);
}

/* A caller's struct may contain any values; invalid ones count as unknown. JPEG and TIFF check
 * subsampling and tiles further. */
static void drop_invalid(swathe_encoding *encoding)
{
    if (encoding->quality < 1 || encoding->quality > 100)
        encoding->quality = 0;
    if (encoding->orientation < 1 || encoding->orientation > 8)
        encoding->orientation = 0;
    if (encoding->tile_width < 1 || encoding->tile_height < 1)
        encoding->tile_width = encoding->tile_height = 0;
}

/* The encoding of a file of another format does not apply. */
static swathe_status copy_encoding(struct file *file, const swathe_encoding *from)
{
    swathe_encoding known = SWATHE_INIT(swathe_encoding);
    file->encoding = known;
    if (!from)
        return SWATHE_OK;
    if (from->struct_size < 2 * sizeof from->struct_size)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "metadata.encoding: struct_size is %zu; initialise it with SWATHE_INIT",
                    from->struct_size);
    memcpy(&known, from, from->struct_size < sizeof known ? from->struct_size : sizeof known);
    known.struct_size = sizeof known;
    drop_invalid(&known);
    if (known.format && strcmp(known.format, file->codec->name) == 0)
        file->encoding = known;
    return SWATHE_OK;
}

static swathe_status copy_nodata(struct file *file, const char *nodata)
{
    if (!nodata)
        return SWATHE_OK;
    if (strlen(nodata) >= sizeof file->nodata)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "metadata.nodata '%.40s…' has more than %d characters; it must be a number or "
                    "nan",
                    nodata, NODATA_SIZE - 1);
    memcpy(file->nodata, nodata, strlen(nodata) + 1);
    file->metadata.nodata = file->nodata;
    return SWATHE_OK;
}

static swathe_status file_write_copy_metadata(struct file *file, const swathe_metadata *from)
{
    const struct memory *memory = file->writer.memory;
    swathe_metadata known = SWATHE_INIT(swathe_metadata);
    if (from)
        memcpy(&known, from, from->struct_size < sizeof known ? from->struct_size : sizeof known);
    file->metadata = SWATHE_INIT(swathe_metadata);
    file->metadata.x_resolution = known.x_resolution;
    file->metadata.y_resolution = known.y_resolution;
    file->metadata.geo_x = known.geo_x;
    file->metadata.geo_y = known.geo_y;
    TRY(copy_encoding(file, known.encoding));
    TRY(copy_nodata(file, known.nodata));
    TRY(metadata_store(memory, &file->metadata, METADATA_ICC, known.icc, known.icc_size));
    TRY(metadata_store(memory, &file->metadata, METADATA_EXIF, known.exif, known.exif_size));
    TRY(metadata_store(memory, &file->metadata, METADATA_XMP, known.xmp, known.xmp_size));
    return metadata_store(memory, &file->metadata, METADATA_GEO, known.geo, known.geo_size);
}

static swathe_status file_write_check_shape(const struct file *file)
{
    const swathe_shape *shape = &file->writer.shape;
    int64_t bytes;
    TRY(shape_bytes(shape, &bytes));
    if (shape->color < SWATHE_COLOR_UNKNOWN || shape->color > SWATHE_COLOR_LAB)
        return fail(SWATHE_ERROR_ARGUMENT, "%d is not a colour space", (int)shape->color);
    return codec_check_shape(file->codec, shape);
}

/* Finds the codec by a path, or by a writer's name, which may be NULL. */
static swathe_status file_write_find_codec(struct file *file, const char *name)
{
    if (file->options.format)
        return format_named(file->options.format, &file->codec);
    if (!name || strcmp(name, "-") == 0)
        return fail_about(SWATHE_ERROR_ARGUMENT, "format",
                          "no format was given, and there is no file name to choose one by");
    return format_for_path(name, !file->writer.out, &file->codec);
}

/* All checks are done before a file is created. */
static swathe_status get_ready(struct file *file, const char *name, const swathe_metadata *metadata)
{
    TRY(limits_check_write(&file->options));
    TRY(file_write_find_codec(file, name));
    TRY(codec_check_options(file->codec, &file->options));
    TRY(file_write_check_shape(file));
    return file_write_copy_metadata(file, metadata);
}

static swathe_status file_write_next_page(void *user, const swathe_shape *shape,
                                          const swathe_metadata *metadata, swathe_sink_info *info);

static void fill_sink(struct file *file)
{
    struct image_writer *writer = &file->writer;
    swathe_sink *sink = &file->sink;
    *sink = (swathe_sink){0};
    sink->user = file;
    sink->shape = writer->shape;
    sink->flags = writer->flags | (writer->next_page ? SWATHE_PAGES : 0);
    sink->tile_width = writer->tile_width;
    sink->tile_height = writer->tile_height;
    sink->format = file->codec->name;
    sink->write = file_write_part;
    sink->next_page = writer->next_page ? file_write_next_page : NULL;
    sink->commit = file_write_commit;
    sink->destroy = file_write_destroy;
    sink->parts = writer->prepare ? &file->parts : NULL;
    file->parts = (struct file_parts){writer->context_rows, writer->scratch_bytes, prepare_part,
                                      deliver_part};
}

static swathe_status file_write_start_page(struct file *file, const swathe_shape *shape,
                                           const swathe_metadata *metadata)
{
    struct image_writer *writer = &file->writer;
    TRY(file_write_check_complete(file, "continued"));
    swathe_shape before = writer->shape;
    writer->shape = *shape;
    swathe_status status = file_write_check_shape(file);
    if (status != SWATHE_OK) {
        writer->shape = before;
        return status;
    }
    file->broken = true; /* until all steps have succeeded */
    metadata_drop(writer->memory, &file->metadata);
    TRY(file_write_copy_metadata(file, metadata));
    segments_free(&file->segments, writer->memory);
    file->segments = (struct segments){0};
    written_parts_free(&file->written, writer->memory);
    file->next_row = file->pixels = 0;
    TRY(writer->next_page(writer));
    file->broken = false;
    fill_sink(file);
    return SWATHE_OK;
}

static swathe_status file_write_next_page(void *user, const swathe_shape *shape,
                                          const swathe_metadata *metadata, swathe_sink_info *info)
{
    struct file *file = user;
    TRY(file_write_named(file, file_write_start_page(file, shape, metadata)));
    *info = sink_info(&file->sink);
    return SWATHE_OK;
}

/* Writes to the path `name`, or, if an output exists already, to that of a writer with this
 * name. */
static swathe_status file_write_start(struct file *file, const char *name,
                                      const swathe_metadata *metadata)
{
    struct image_writer *writer = &file->writer;
    TRY(file_write_named(file, get_ready(file, name, metadata)));
    struct output_options options = {file->options.overwrite != 0, file->options.unsynced != 0,
                                     file->options.nofollow != 0, writer->cancel};
    if (!writer->out)
        TRY(output_create(writer->memory, name, &options, &writer->out));
    TRY(file_write_named(file, file->codec->create(writer)));
    fill_sink(file);
    return SWATHE_OK;
}

static void file_write_init(struct file *file, const struct memory *memory, int64_t free_memory,
                            const swathe_shape *shape, const swathe_write_options *options)
{
    if (options)
        file->options = *options;
    file->writer.memory = memory;
    file->writer.limits = limits_writing(&file->options, free_memory);
    file->writer.cancel = (struct cancel){file->options.cancelled, file->options.cancel_user};
    file->writer.shape = *shape;
    file->writer.metadata = &file->metadata;
    file->writer.encoding = &file->encoding;
    file->writer.options = &file->options;
}

swathe_status file_create(const struct memory *memory, int64_t free_memory, const char *path,
                          const swathe_shape *shape, const swathe_metadata *metadata,
                          const swathe_write_options *options, swathe_sink **sink)
{
    struct file *file;
    TRY(memory_new(memory, 1, sizeof *file, "a new file", &file));
    file_write_init(file, memory, free_memory, shape, options);
    swathe_status status =
        format_shown(memory, strcmp(path, "-") == 0 ? "standard output" : path, &file->path);
    if (status == SWATHE_OK)
        status = file_write_start(file, path, metadata);
    if (status != SWATHE_OK) {
        file_write_destroy(file);
        return status;
    }
    *sink = &file->sink;
    return SWATHE_OK;
}

/* The output takes ownership of the writer before anything else can fail. */
static swathe_status start_writer(struct file *file, const swathe_writer *writer)
{
    const struct memory *memory = file->writer.memory;
    swathe_writer own = *writer;
    swathe_status status =
        format_shown(memory, writer->name ? writer->name : "the output", &file->path);
    own.name = file->path;
    if (status == SWATHE_OK)
        return output_create_writer(memory, &own, &file->writer.cancel, &file->writer.out);
    if (writer->abandon)
        writer->abandon(writer->user);
    return status;
}

swathe_status file_create_writer(const struct memory *memory, int64_t free_memory,
                                 const swathe_writer *writer, const swathe_shape *shape,
                                 const swathe_metadata *metadata,
                                 const swathe_write_options *options, swathe_sink **sink)
{
    struct file *file;
    swathe_status status = memory_new(memory, 1, sizeof *file, "a new file", &file);
    if (status != SWATHE_OK) {
        if (writer->abandon)
            writer->abandon(writer->user);
        return status;
    }
    file_write_init(file, memory, free_memory, shape, options);
    status = start_writer(file, writer);
    if (status == SWATHE_OK)
        status = file_write_start(file, writer->name, metadata);
    if (status != SWATHE_OK) {
        file_write_destroy(file);
        return status;
    }
    *sink = &file->sink;
    return SWATHE_OK;
}

/* Sizes of tiles that the caller states are compared, rounded to, and added. */
#define TILE_MOST ((int64_t)1 << 40)

swathe_status file_check_ends(const swathe_shape *shape, int64_t tile_width, int64_t tile_height,
                              uint64_t flags, const char *what)
{
    swathe_status status = shape_check(shape);
    if (status != SWATHE_OK)
        return fail_within(status, "%s: ", what);
    if (tile_width < 0 || tile_height < 0 || tile_width > TILE_MOST || tile_height > TILE_MOST)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%s: tiles of %" PRId64 " x %" PRId64 "; both must be 0 to 2^40", what,
                    tile_width, tile_height);
    if (flags & ~(uint64_t)(SWATHE_FORWARD | SWATHE_CONCURRENT | SWATHE_PAGES))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%s: flags are %" PRIu64 "; this library knows only SWATHE_FORWARD, "
                    "SWATHE_CONCURRENT and SWATHE_PAGES",
                    what, flags);
    return SWATHE_OK;
}

swathe_status file_next_page(swathe_sink *sink, const swathe_shape *shape,
                             const swathe_metadata *metadata)
{
    if (sink->next_page) {
        swathe_sink_info info = sink_info(sink);
        info.shape = *shape;
        TRY(shape_check(shape));
        fail_record(SWATHE_ERROR_INTERNAL, "the sink failed to start a page and gave no reason");
        TRY(fail_returned(sink->next_page(sink->user, shape, metadata, &info),
                          "the sink's next_page"));
        TRY(file_check_ends(&info.shape, info.tile_width, info.tile_height, info.flags,
                            "the sink's next_page"));
        info.flags |= SWATHE_PAGES;
        sink_take_info(sink, &info);
        return SWATHE_OK;
    }
    return fail(SWATHE_ERROR_UNSUPPORTED, "%s holds one page; TIFF holds any number",
                sink->format ? sink->format : "the sink");
}

swathe_status file_commit(swathe_sink *sink)
{
    fail_record(SWATHE_ERROR_INTERNAL, "the sink failed to commit and gave no reason");
    if (!sink->commit)
        return SWATHE_OK;
    return fail_returned(sink->commit(sink->user), "the sink's commit");
}

void file_discard(swathe_sink *sink)
{
    if (!sink)
        return;
    const struct memory *memory = sink->memory;
    if (sink->destroy)
        sink->destroy(sink->user);
    if (memory) /* of a caller's functions */
        memory_free(memory, sink);
}
