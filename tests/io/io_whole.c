/* Whole images: what codecs keep, and when a written image is complete. */
#include "io/written_parts.h"
#include "io_check.h"
#include "io_samples.h"
#include "io_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Whole images --------------------------------------------------------------------------- */

/* Whole images in one call, for every format: an image that is saved and loaded is the same, from a
 * path and from bytes, with its metadata; refused calls leave no files. */

static swathe_context *context;

/* ---- An allocator that overwrites what is freed ---------------------------------------------- */

struct block {
    void *start;
    size_t size;
};

static void *allocate(void *user, size_t size, size_t align)
{
    (void)user;
    uint8_t *start = malloc(sizeof(struct block) + align + size);
    if (!start)
        return NULL;
    uint8_t *block = start + sizeof(struct block);
    block += align - (uintptr_t)block % align;
    ((struct block *)block)[-1] = (struct block){start, size};
    return block;
}

static void release(void *user, void *block)
{
    (void)user;
    if (!block)
        return;
    struct block *head = (struct block *)block - 1;
    memset(block, '#', head->size);
    free(head->start);
}

/* ---- Every format ---------------------------------------------------------------------------- */

static bool same_block(const void *a, size_t a_size, const void *b, size_t b_size)
{
    return a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0);
}

/* Both were loaded, the second from bytes. */
static void check_same(const struct codec *codec, const swathe_metadata *a,
                       const swathe_metadata *b)
{
    io_check(same_block(a->icc, a->icc_size, b->icc, b->icc_size) &&
                 same_block(a->exif, a->exif_size, b->exif, b->exif_size) &&
                 same_block(a->xmp, a->xmp_size, b->xmp, b->xmp_size) &&
                 a->x_resolution == b->x_resolution,
             "%s: other metadata from bytes", codec->name);
    io_check(a->encoding && b->encoding && strcmp(a->encoding->format, codec->name) == 0 &&
                 a->encoding != b->encoding,
             "%s: no encoding", codec->name);
    io_check(!strstr(codec->keeps, "xmp") || (a->xmp_size > 0 && a->icc_size > 0),
             "%s: metadata is lost", codec->name);
    bool tagged = strcmp(codec->name, "tiff") == 0;
    io_check(tagged == (a->nodata != NULL) &&
                 (!tagged || (strcmp(a->nodata, "77") == 0 && strcmp(b->nodata, "77") == 0)),
             "%s: nodata is '%.10s'", codec->name, a->nodata ? a->nodata : "");
}

static void check_loaded(const struct codec *codec, const char *path, const void *bytes,
                         size_t size, const swathe_image *saved)
{
    char text[128] = "";
    swathe_image a = SWATHE_INIT(swathe_image), b = a;
    swathe_metadata a_kept = SWATHE_INIT(swathe_metadata), b_kept = a_kept;
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    options.format = codec->name;
    bool loaded = swathe_load(context, path, &options, &a, &a_kept) == SWATHE_OK &&
                  swathe_load_bytes(context, bytes, size, &options, &b, &b_kept) == SWATHE_OK;
    if (io_check(loaded, "%s: not loaded: %s", codec->name, swathe_error_text())) {
        io_check(io_equal(saved, &a, io_tolerance(codec), text, sizeof text) &&
                     io_equal(&a, &b, 0, text, sizeof text),
                 "%s: %s", codec->name, text);
        check_same(codec, &a_kept, &b_kept);
    }
    swathe_free(context, a.data);
    swathe_free(context, b.data);
    a.data = NULL;
    a_kept.struct_size = 0;
    io_check(swathe_load(context, path, &options, &a, &a_kept) == SWATHE_ERROR_ARGUMENT && !a.data,
             "%s: loaded with metadata without a size", codec->name);
    options.max_memory = 100;
    io_check(swathe_load(context, path, &options, &a, NULL) == SWATHE_ERROR_LIMIT && !a.data,
             "%s: loaded into 100 bytes", codec->name);
}

static void check_codec(const struct codec *codec)
{
    swathe_shape shape = io_shape(60, 50, 3, SWATHE_U8);
    if (!codec_holds(codec, &shape))
        shape.type = SWATHE_F32;
    struct io_image image = io_image_make(&shape, IO_FLIPPED);
    swathe_write_options options = io_faithful(codec);
    swathe_metadata metadata = io_sample_metadata(3);
    metadata.nodata = "77";
    const char *path = io_path("whole");
    void *bytes = NULL;
    size_t size = 0, file_size = 0;
    io_fill_smooth(&image.view, 1);
    bool saved =
        swathe_save(context, &image.view, &metadata, path, &options) == SWATHE_OK &&
        swathe_save_bytes(context, &image.view, &metadata, &options, &bytes, &size) == SWATHE_OK;
    if (io_check(saved, "%s: not saved: %s", codec->name, swathe_error_text())) {
        uint8_t *file = io_load(path, &file_size);
        io_check(size == file_size && memcmp(file, bytes, size) == 0, "%s: other bytes in memory",
                 codec->name);
        free(file);
        check_loaded(codec, path, bytes, size, &image.view);
    }
    swathe_free(context, bytes);
    io_image_free(&image);
}

/* A call that is refused still releases the readers and writers that it would own. */
static void check_refused(void)
{
    struct io_callback callback = {0};
    swathe_reader reader = io_callback_reader(&callback, "empty");
    swathe_writer writer = io_callback_writer(&callback, "none.ppm");
    swathe_source *source = NULL;
    swathe_sink *sink = NULL;
    swathe_shape shape = io_shape(4, 4, 3, SWATHE_U8);
    io_check(swathe_source_open(NULL, &reader, NULL, &source) == SWATHE_ERROR_ARGUMENT &&
                 atomic_load(&callback.destroyed) == 1,
             "no context: destroyed %d times", atomic_load(&callback.destroyed));
    io_check(swathe_source_open(context, &reader, NULL, &source) == SWATHE_ERROR_INPUT &&
                 atomic_load(&callback.destroyed) == 2 &&
                 strcmp(swathe_error_text(), "empty: is empty") == 0,
             "no bytes: %s", swathe_error_text());
    io_check(swathe_sink_create(context, &writer, NULL, NULL, NULL, &sink) ==
                     SWATHE_ERROR_ARGUMENT &&
                 callback.abandoned == 1,
             "no shape: abandoned %d times", callback.abandoned);
    writer.write = NULL;
    io_check(swathe_sink_create(context, &writer, &shape, NULL, NULL, &sink) ==
                     SWATHE_ERROR_ARGUMENT &&
                 callback.abandoned == 2,
             "no write: abandoned %d times", callback.abandoned);
    reader.size = -1;
    io_check(swathe_source_open(context, &reader, NULL, &source) == SWATHE_ERROR_ARGUMENT &&
                 atomic_load(&callback.destroyed) == 3,
             "a size of -1: %s", swathe_error_text());
    reader.size = INT64_MAX / 2 + 1;
    io_check(swathe_source_open(context, &reader, NULL, &source) == SWATHE_ERROR_ARGUMENT &&
                 atomic_load(&callback.destroyed) == 4,
             "a size of 2^62: %s", swathe_error_text());
    io_check(!source && !sink && atomic_load(&callback.calls) == 0, "a file was created");
}

/* ---- Callbacks that fail without a word ----------------------------------------------------- */

static swathe_status read_nothing(void *user, int64_t offset, void *buffer, size_t count,
                                  size_t *got)
{
    (void)user;
    (void)offset;
    (void)buffer;
    (void)count;
    (void)got;
    return SWATHE_ERROR_IO;
}

static swathe_status write_nothing(void *user, const void *bytes, size_t count)
{
    (void)user;
    (void)bytes;
    (void)count;
    return SWATHE_ERROR_IO;
}

static swathe_status end_nothing(void *user)
{
    (void)user;
    return SWATHE_ERROR_IO;
}

static swathe_status page_nothing(void *user, const swathe_shape *shape,
                                  const swathe_metadata *metadata, swathe_sink_info *info)
{
    (void)user;
    (void)shape;
    (void)metadata;
    (void)info;
    return SWATHE_ERROR_IO;
}

/* Its status and a text of its own, not those of what failed before. */
static void check_silent(swathe_status status, const char *what)
{
    swathe_error error = SWATHE_INIT(swathe_error);
    swathe_error_get(&error);
    io_check(status == SWATHE_ERROR_IO && error.status == SWATHE_ERROR_IO &&
                 strstr(error.text, "gave no reason"),
             "%s: status %d, then %d, %s", what, (int)status, (int)error.status, error.text);
    swathe_error_set(SWATHE_ERROR_INPUT, "something older");
}

static swathe_status save_with(swathe_writer *writer, const swathe_image *image)
{
    swathe_sink *sink = NULL;
    swathe_shape shape = view_shape(image);
    swathe_status status = swathe_sink_create(context, writer, &shape, NULL, NULL, &sink);
    if (status == SWATHE_OK)
        status = sink->write(sink->user, image);
    if (status == SWATHE_OK)
        status = swathe_sink_commit(sink);
    swathe_sink_destroy(sink);
    return status;
}

static void check_callbacks(void)
{
    struct io_callback callback = {0};
    swathe_shape shape = io_shape(4, 4, 3, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_reader reader = io_callback_reader(&callback, "bytes");
    swathe_writer writer = io_callback_writer(&callback, "bytes.ppm");
    swathe_sink sink = {0};
    swathe_source *source = NULL;
    io_fill_smooth(&image.view, 1);
    swathe_error_set(SWATHE_ERROR_INPUT, "something older");
    io_check(save_with(&writer, &image.view) == SWATHE_OK &&
                 strcmp(swathe_error_text(), "something older") == 0,
             "a writer that works leaves '%s'", swathe_error_text());
    callback.finished = 0;
    writer.finish = end_nothing;
    check_silent(save_with(&writer, &image.view), "finish");
    writer.write = write_nothing;
    check_silent(save_with(&writer, &image.view), "write");
    reader.size = 100;
    reader.read_at = read_nothing;
    check_silent(swathe_source_open(context, &reader, NULL, &source), "read_at");
    sink.commit = end_nothing;
    check_silent(swathe_sink_commit(&sink), "commit");
    sink.next_page = page_nothing;
    check_silent(swathe_sink_next_page(&sink, &shape, NULL), "next_page");
    free(callback.bytes);
    io_image_free(&image);
}

static void whole_images(void)
{
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    options.allocate = allocate;
    options.release = release;
    if (!io_check(swathe_context_create(&options, &context) == SWATHE_OK, "a context"))
        return;
    for (int i = 0; codec_at(i); i++)
        if (codec_at(i)->built)
            check_codec(codec_at(i));
    check_refused();
    check_callbacks();
    swathe_context_destroy(context);
}

/* ---- Complete images ------------------------------------------------------------------------ */

/* Parts written in any order: a file is complete when every pixel was written once, and otherwise
 * cannot be committed. */

enum { WIDTH = 96, HEIGHT = 80, PART = 16, FREE_MEMORY = 1 << 28 };
enum { ACROSS = WIDTH / PART, PARTS = ACROSS * (HEIGHT / PART) };

static swathe_rect part_at(int index)
{
    return (swathe_rect){index % ACROSS * PART, index / ACROSS * PART, PART, PART};
}

static void shuffle(int *order, uint64_t *state)
{
    for (int i = 0; i < PARTS; i++)
        order[i] = i;
    for (int i = PARTS - 1; i > 0; i--) {
        int other = (int)(io_random(state) % (uint32_t)(i + 1)), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

/* Parts in random order: at each step exactly the parts added are met. Joined parts lose no area.
 */
static void check_covered(void)
{
    uint64_t state = 1;
    int order[PARTS];
    for (int round = 0; round < 200; round++) {
        struct written_parts covered = {0};
        shuffle(order, &state);
        for (int i = 0; i < PARTS; i++) {
            swathe_rect part = part_at(order[i]);
            io_check(!written_parts_meets(&covered, &part), "round %d: part %d is met", round, i);
            io_check(written_parts_add(&covered, &memory_default, &part) == SWATHE_OK, "no memory");
            for (int j = 0; j < PARTS; j++) {
                swathe_rect other = part_at(order[j]);
                other = (swathe_rect){other.x + 3, other.y + PART - 1, 1, 1};
                if (written_parts_meets(&covered, &other) != (j <= i))
                    io_check(false, "round %d: part %d after %d", round, j, i);
            }
        }
        int64_t area = 0;
        for (int64_t i = 0; i < covered.count; i++)
            area += covered.parts[i].width * covered.parts[i].height;
        io_check(area == WIDTH * HEIGHT && covered.count < PARTS / 2,
                 "round %d: %d parts with %d pixels", round, (int)covered.count, (int)area);
        written_parts_free(&covered, &memory_default);
    }
}

static swathe_status put(swathe_sink *sink, const swathe_image *whole, const swathe_rect *part)
{
    swathe_image view;
    TRY(view_crop(whole, part, &view));
    return sink->write(sink->user, &view);
}

/* The first half twice has as many pixels as the image. */
static void check_twice(swathe_sink *sink, const char *name, const swathe_image *image)
{
    swathe_rect half = {0, 0, WIDTH, HEIGHT / 2 / PART * PART};
    swathe_rect corner = {0, half.height - PART, PART, PART};
    io_check(put(sink, image, &half) == SWATHE_OK, "%s: %s", name, fail_text());
    bool forward = (sink->flags & SWATHE_FORWARD) != 0;
    io_check(put(sink, image, &half) == SWATHE_ERROR_ARGUMENT &&
                 (forward || strstr(fail_text(), "already written")),
             "%s, a part again: %s", name, fail_text());
    io_check(put(sink, image, &corner) == SWATHE_ERROR_ARGUMENT, "%s, a corner again", name);
    io_check(file_commit(sink) == SWATHE_ERROR_ARGUMENT && strstr(fail_text(), "of 7680 pixels"),
             "%s, half of it: %s", name, fail_text());
}

static void check_any_order(swathe_sink *sink, const char *name, const swathe_image *image)
{
    uint64_t state = 2;
    int order[PARTS];
    if (sink->flags & SWATHE_FORWARD)
        return;
    shuffle(order, &state);
    for (int i = 0; i < PARTS; i++) {
        swathe_rect part = part_at(order[i]);
        io_check(put(sink, image, &part) == SWATHE_OK, "%s: %s", name, fail_text());
    }
    io_check(file_commit(sink) == SWATHE_OK, "%s: %s", name, fail_text());
}

static void check_parts_of(const struct codec *codec, int64_t tile)
{
    swathe_shape shape = io_shape(WIDTH, HEIGHT, 3, SWATHE_U8);
    if (!codec_holds(codec, &shape))
        shape.type = SWATHE_F32;
    struct io_image image = io_image_make(&shape, IO_DENSE);
    io_fill_smooth(&image.view, 5);
    swathe_write_options options = io_faithful(codec);
    options.tile = tile;
    options.overwrite = 1;
    for (int way = 0; way < 2; way++) {
        swathe_sink *sink;
        swathe_status status = file_create(&memory_default, FREE_MEMORY, io_path("parts"), &shape,
                                           NULL, &options, &sink);
        if (io_check(status == SWATHE_OK, "%s: %s", codec->name, fail_text())) {
            (way ? check_any_order : check_twice)(sink, codec->name, &image.view);
            file_discard(sink);
        }
    }
    io_image_free(&image);
}

static void completeness(void)
{
    check_covered();
    for (int i = 0; codec_at(i); i++)
        if (codec_at(i)->built)
            check_parts_of(codec_at(i), 0);
    if (codec_named("tiff")->built)
        check_parts_of(codec_named("tiff"), PART);
}

int main(void)
{
    whole_images();
    completeness();
    io_folder_remove();
    return io_finish("io_whole");
}
