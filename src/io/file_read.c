/* Image files as sources: opening, and the checks that all codecs share. */
#include "base/checked.h"
#include "base/text.h"
#include "image/view.h"
#include "io/choose_format.h"
#include "io/codec.h"
#include "io/file.h"
#include "io/metadata/metadata.h"
#include "io/orient.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { HEAD_SIZE = 64 };

struct file {
    swathe_source source; /* what the caller sees; user is this struct */
    struct image_reader reader;
    struct orient orient;
    const struct codec *codec;
    char *path;        /* or a reader's name */
    swathe_reader own; /* the caller's reader; if its read_at is NULL, the file has a path */
    int64_t next_row;  /* of a SWATHE_FORWARD source, which is read by one thread at a time */
    /* A read failed, so the codec's state may be inconsistent: other reads fail likewise. */
    atomic_int broken; /* BREAKING while `why` is written */
    struct failure why;
};
enum { WORKS, BREAKING, BROKEN };

static swathe_status file_read_named(const struct file *file, swathe_status status)
{
    return fail_named(status, file->path);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static swathe_status file_read_check_kind(const swathe_shape *shape, const swathe_image *into)
{
    TRY(view_check_result(into, "the view to read into"));
    if (into->type != shape->type || into->channels != shape->channels)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "the view to read into has %d channels of %s, the file %d of %s",
                    into->channels, sample_entry(into->type)->name, shape->channels,
                    sample_entry(shape->type)->name);
    return SWATHE_OK;
}

static swathe_status check_request(const struct file *file, const swathe_image *into)
{
    const swathe_shape *shape = &file->orient.shape;
    TRY(file_read_check_kind(shape, into));
    swathe_rect part = view_rect(into);
    TRY(view_check_within(shape, &part));
    if (!(file->orient.flags & SWATHE_FORWARD))
        return SWATHE_OK;
    if (part.x != 0 || part.width != shape->width || part.y != file->next_row)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "%s is read from top to bottom, in full rows: row %" PRId64
                    " is next, not the part "
                    "%" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64,
                    file->codec->name, file->next_row, part.width, part.height, part.x, part.y);
    return SWATHE_OK;
}

/* Marks the file as broken: threads that use it afterwards report the same failure. */
static swathe_status file_read_give_up(struct file *file, swathe_status status)
{
    int works = WORKS;
    if (!atomic_compare_exchange_strong(&file->broken, &works, BREAKING))
        return status;
    file->why = fail_keep();
    file->why.status = status;
    atomic_store(&file->broken, BROKEN);
    return status;
}

static swathe_status file_read_part(void *user, const swathe_image *into)
{
    struct file *file = user;
    if (atomic_load(&file->broken) == BROKEN)
        return fail_again(&file->why);
    swathe_status status = check_request(file, into);
    if (status == SWATHE_OK)
        status = cancel_check(&file->reader.cancel);
    if (status != SWATHE_OK)
        return file_read_named(file, status);
    status = file_read_named(file, orient_read(&file->orient, &file->reader, into));
    if (file->orient.flags & SWATHE_FORWARD)
        file->next_row = into->y + into->height;
    return status == SWATHE_OK ? status : file_read_give_up(file, status);
}

/* ---- Opening and closing -------------------------------------------------------------------- */

static void file_read_destroy(void *user)
{
    struct file *file = user;
    const struct memory *memory = file->reader.memory;
    if (file->reader.close)
        file->reader.close(&file->reader);
    orient_stop(&file->orient, memory);
    reader_drop_metadata(&file->reader);
    stream_close(file->reader.in);
    if (file->own.destroy)
        file->own.destroy(file->own.user);
    memory_free(memory, file->path);
    memory_free(memory, file);
}

/* TGA has no magic number: if its header is ambiguous, the name decides. */
static const struct codec *tga_by_name(const char *path)
{
    const struct codec *codec = codec_for_path(path);
    return codec && codec->open == codec_tga_open ? codec : NULL;
}

static swathe_status file_read_find_codec(struct file *file, const swathe_read_options *options)
{
    uint8_t head[HEAD_SIZE];
    size_t size;
    if (options->format)
        return format_named(options->format, &file->codec);
    TRY(stream_peek(file->reader.in, head, sizeof head, &size));
    if (size == 0)
        return fail(SWATHE_ERROR_INPUT, "is empty");
    file->codec = codec_for_bytes(head, size);
    if (!file->codec)
        file->codec = tga_by_name(file->path);
    if (file->codec)
        return SWATHE_OK;
    const char *left_out = codec_left_out(head, size);
    if (left_out)
        return format_named(left_out, &file->codec);
    const char *tool, *foreign = codec_foreign(head, size, &tool);
    if (foreign)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "has the format %s, which Swathe does not read; convert it first, for example "
                    "with %s",
                    foreign, tool);
    char names[256];
    if (size >= 9 && memcmp(head, "YUV4MPEG2", 9) == 0)
        return fail(
            SWATHE_ERROR_UNSUPPORTED,
            "is a video (Y4M), not an image; 'swathe apply' filters the frames of files, of "
            "standard input (-) and of pipes named .y4m");
    return fail(SWATHE_ERROR_INPUT, "not an image that this build reads (%s)",
                format_list(names, sizeof names));
}

/* Checks the shape that a codec reports before memory is allocated for it. */
static swathe_status check_opened(const struct image_reader *reader)
{
    const swathe_shape *shape = &reader->shape;
    if (shape->width < 1 || shape->height < 1)
        return fail(SWATHE_ERROR_INPUT, "an image of %" PRId64 " x %" PRId64 " pixels",
                    shape->width, shape->height);
    return shape_check(shape);
}

static void fill_source(struct file *file)
{
    const struct orient *orient = &file->orient;
    swathe_source *source = &file->source;
    *source = (swathe_source){0};
    source->user = file;
    source->shape = orient->shape;
    source->flags = orient->flags;
    source->tile_width = orient->tile_width;
    source->tile_height = orient->tile_height;
    source->metadata = &file->reader.metadata;
    source->format = file->codec->name;
    source->pages = file->reader.pages;
    source->held_bytes = size_add(file->reader.held_bytes, orient_bytes(orient));
    source->read = file_read_part;
    source->destroy = file_read_destroy;
}

static swathe_status start_stream(struct file *file, const char *path,
                                  const swathe_read_options *options)
{
    struct image_reader *reader = &file->reader;
    if (path)
        TRY(stream_open(reader->memory, path, &reader->cancel, &reader->in));
    else
        TRY(stream_open_reader(reader->memory, &file->own, reader->limits.max_memory,
                               &reader->cancel, &reader->in));
    return stream_return(reader->in, options->head, options->head_size);
}

/* The reader of a source that is one of our files and, as far as its size tells, this one. */
static const struct image_reader *file_read_find_same(const struct file *file,
                                                      const swathe_source *source)
{
    if (!source || source->destroy != file_read_destroy)
        return NULL;
    const struct file *other = source->user;
    return other->codec == file->codec && other->reader.memory == file->reader.memory &&
                   stream_size(other->reader.in) == stream_size(file->reader.in)
               ? &other->reader
               : NULL;
}

static swathe_status file_read_start(struct file *file, const char *path,
                                     const swathe_read_options *options)
{
    struct image_reader *reader = &file->reader;
    if (options->orient != 0 && options->orient != 1)
        return fail(SWATHE_ERROR_ARGUMENT, "orient is %d; it must be 0 or 1", options->orient);
    TRY(limits_check_read(options));
    TRY(start_stream(file, path, options));
    TRY(file_read_find_codec(file, options));
    if (stream_seekable(reader->in))
        reader->limits.file_bytes = stream_size(reader->in);
    reader->shape = (swathe_shape){0};
    reader->metadata = SWATHE_INIT(swathe_metadata);
    reader->encoding = SWATHE_INIT(swathe_encoding);
    reader->encoding.format = file->codec->name;
    reader->metadata.encoding = &reader->encoding;
    reader->page = options->page ? options->page : 1;
    reader->pages = 1;
    reader->same = file_read_find_same(file, options->same_file);
    swathe_status status = file->codec->open(reader);
    reader->same = NULL;
    TRY(stream_check(reader->in)); /* a codec may report an I/O error as damage */
    TRY(status);
    TRY(codec_check_page(reader));
    TRY(check_opened(reader));
    TRY(orient_start(&file->orient, reader, options->orient != 0));
    reader->encoding.orientation = exif_orientation(&reader->metadata);
    fill_source(file);
    return SWATHE_OK;
}

/* Opens a path, or the reader in `file`; `shown` is its name in messages. */
static swathe_status file_read_open(struct file *file, const struct memory *memory,
                                    int64_t free_memory, const char *path, const char *shown,
                                    const swathe_read_options *options)
{
    static const swathe_read_options usual;
    const swathe_read_options *chosen = options ? options : &usual;
    file->reader.memory = memory;
    file->reader.limits = limits_reading(chosen, free_memory);
    file->reader.cancel = (struct cancel){chosen->cancelled, chosen->cancel_user};
    swathe_status status = format_shown(memory, shown, &file->path);
    if (status == SWATHE_OK)
        status = file_read_named(file, file_read_start(file, path, chosen));
    if (status != SWATHE_OK)
        file_read_destroy(file);
    return status;
}

swathe_status file_open(const struct memory *memory, int64_t free_memory, const char *path,
                        const swathe_read_options *options, swathe_source **source)
{
    struct file *file;
    TRY(memory_new(memory, 1, sizeof *file, "an open file", &file));
    TRY(file_read_open(file, memory, free_memory, path,
                       strcmp(path, "-") == 0 ? "standard input" : path, options));
    *source = &file->source;
    return SWATHE_OK;
}

swathe_status file_open_reader(const struct memory *memory, int64_t free_memory,
                               const swathe_reader *reader, const swathe_read_options *options,
                               swathe_source **source)
{
    struct file *file;
    swathe_status status = memory_new(memory, 1, sizeof *file, "an open file", &file);
    if (status != SWATHE_OK) {
        if (reader->destroy)
            reader->destroy(reader->user);
        return status;
    }
    file->own = *reader;
    TRY(file_read_open(file, memory, free_memory, NULL, reader->name ? reader->name : "the input",
                       options));
    *source = &file->source;
    return SWATHE_OK;
}

void file_close(swathe_source *source)
{
    if (!source)
        return;
    const struct memory *memory = source->memory;
    if (source->destroy)
        source->destroy(source->user);
    if (memory) /* of a caller's functions */
        memory_free(memory, source);
}
