/* Messages and metadata of all formats. */
#include "io_check.h"
#include "io_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Messages ------------------------------------------------------------------------------- */

/* Every limit and every refusal has its own status, and a text that names the value and a way out.
 */

static void expect(swathe_status got, swathe_status want, const char *text, const char *what)
{
    io_check(got == want && strstr(fail_text(), text), "%s: status %d (%s), expected %d with '%s'",
             what, (int)got, fail_text(), (int)want, text);
}

/* The same where a limit or an option is to be changed; `needed` -1: to any value. */
static void expect_about(swathe_status got, swathe_status want, const char *subject, int64_t needed,
                         const char *what)
{
    const struct failure *last = fail_last();
    expect(got, want, "", what);
    io_check(last->status == want && strcmp(last->subject, subject) == 0 &&
                 (needed < 0 || last->needed == needed),
             "%s: status %d about '%s', needs %" PRId64, what, (int)last->status, last->subject,
             last->needed);
}

static swathe_status open_with(const char *path, const swathe_read_options *options)
{
    swathe_source *source;
    TRY(file_open(&memory_default, 1 << 28, path, options, &source));
    file_close(source);
    return SWATHE_OK;
}

static swathe_status create_with(const char *path, const swathe_shape *shape,
                                 const swathe_write_options *options)
{
    swathe_sink *sink;
    TRY(file_create(&memory_default, 1 << 28, path, shape, NULL, options, &sink));
    file_discard(sink);
    return SWATHE_OK;
}

static swathe_status write_nothing(void *user, const void *bytes, size_t count)
{
    (void)user;
    (void)bytes;
    (void)count;
    return SWATHE_OK;
}

/* To a writer of this name. */
static swathe_status create_for(const char *name, const swathe_shape *shape)
{
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    swathe_sink *sink;
    writer.name = name;
    writer.write = write_nothing;
    TRY(file_create_writer(&memory_default, 1 << 28, &writer, shape, NULL, NULL, &sink));
    file_discard(sink);
    return SWATHE_OK;
}

/* ---- Limits --------------------------------------------------------------------------------- */

static void check_pixels(void)
{
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    io_save(io_path("interlaced"), io_samples[0].bytes, io_samples[0].size);
    options.max_pixels = 24;
    expect_about(open_with(io_path("interlaced"), &options), SWATHE_ERROR_LIMIT, "max_pixels", 25,
                 "25 pixels, limit 24");
    options.max_pixels = 25;
    expect(open_with(io_path("interlaced"), &options), SWATHE_OK, "", "25 pixels, limit 25");
    options.max_memory = 24;
    expect_about(open_with(io_path("interlaced"), &options), SWATHE_ERROR_LIMIT, "max_memory", 25,
                 "25 bytes, limit 24");
}

/* A format may need less memory than the limit, but reports if it needs more. */
static void check_memory(const struct codec *codec)
{
    swathe_shape shape = io_shape(5000, 2, 3, SWATHE_U8);
    if (!codec_holds(codec, &shape))
        return;
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = io_faithful(codec);
    io_fill_smooth(&image.view, 1);
    io_check(io_write(io_path("wide"), &image.view, NULL, &options, 0) == SWATHE_OK, "%s: %s",
             codec->name, fail_text());
    swathe_read_options reading = SWATHE_INIT(swathe_read_options);
    reading.format = codec->name;
    reading.max_memory = 100;
    swathe_status status = open_with(io_path("wide"), &reading);
    if (status != SWATHE_OK)
        expect_about(status, SWATHE_ERROR_LIMIT, "max_memory", -1, codec->name);
    if (strcmp(codec->name, "png") == 0)
        expect(status, SWATHE_ERROR_LIMIT, "limit 100 bytes", "png");
    io_image_free(&image);
}

static void check_metadata(const struct codec *codec)
{
    swathe_shape shape = io_shape(8, 8, 3, SWATHE_U8);
    if (!codec_holds(codec, &shape))
        return;
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = io_faithful(codec);
    swathe_metadata metadata = io_sample_metadata(3);
    io_fill_smooth(&image.view, 1);
    io_check(io_write(io_path("tagged"), &image.view, &metadata, &options, 0) == SWATHE_OK,
             "%s: %s", codec->name, fail_text());
    swathe_source *source;
    if (io_check(file_open(&memory_default, 1 << 28, io_path("tagged"), NULL, &source) == SWATHE_OK,
                 "%s: %s", codec->name, fail_text())) {
        bool has_icc = source->metadata->icc_size > 0, has_xmp = source->metadata->xmp_size > 0;
        file_close(source);
        swathe_read_options reading = SWATHE_INIT(swathe_read_options);
        reading.format = codec->name;
        reading.max_metadata = 100; /* the profile and the packet are larger */
        if (has_icc || has_xmp)
            expect_about(open_with(io_path("tagged"), &reading), SWATHE_ERROR_LIMIT, "max_metadata",
                         -1, codec->name);
    }
    io_image_free(&image);
}

/* ---- Names ---------------------------------------------------------------------------------- */

static void check_inputs(void)
{
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    expect(open_with(io_path("missing.png"), NULL), SWATHE_ERROR_IO,
           "missing.png: cannot open: No such file or directory", "missing file");
    io_check(fail_last()->system == ENOENT, "missing file: system %d", (int)fail_last()->system);
    expect(open_with(io_folder(), NULL), SWATHE_ERROR_IO, "is a directory", "directory");
    expect(open_with("/dev/null", NULL), SWATHE_ERROR_IO, "is a device", "device");
    io_save(io_path("empty.png"), "", 0);
    expect(open_with(io_path("empty.png"), NULL), SWATHE_ERROR_INPUT, "empty.png: is empty",
           "empty file");
    io_save(io_path("text.png"), "hello, this is text", 19);
    expect(open_with(io_path("text.png"), NULL), SWATHE_ERROR_INPUT,
           "text.png: not an image that this build reads (", "text");
    options.format = "pnn";
    expect(open_with(io_path("text.png"), &options), SWATHE_ERROR_ARGUMENT, "did you mean p",
           "format pnn");
    options.format = "pnm";
    expect(open_with(io_path("text.png"), &options), SWATHE_ERROR_INPUT, "not a PNM file",
           "text as pnm");
}

static void check_outputs(void)
{
    swathe_shape shape = io_shape(4, 4, 3, SWATHE_U8);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    expect(create_with(io_path("a.pnmx"), &shape, NULL), SWATHE_ERROR_ARGUMENT,
           "no format has the extension '.pnmx'; did you mean .pnm?", "extension pnmx");
    expect(create_with(io_path("a.document"), &shape, NULL), SWATHE_ERROR_ARGUMENT,
           "(known: ", "extension document");
    expect_about(create_with(io_path("a"), &shape, NULL), SWATHE_ERROR_ARGUMENT, "format", 0,
                 "no extension");
    expect_about(create_with("-", &shape, NULL), SWATHE_ERROR_ARGUMENT, "format", 0,
                 "standard output");
    expect(create_for("a.gif", &shape), SWATHE_ERROR_UNSUPPORTED, "the format 'gif'",
           "writer a.gif");
    expect_about(create_for(".", &shape), SWATHE_ERROR_ARGUMENT, "format", 0, "writer .");
    expect_about(create_for(NULL, &shape), SWATHE_ERROR_ARGUMENT, "format", 0, "writer");
    options.lossless = 1;
    expect_about(create_with(io_path("a.ppm"), &shape, &options), SWATHE_ERROR_ARGUMENT, "lossless",
                 0, "lossless ppm");
    options.lossless = 0;
    expect(create_with(io_path("a.pfm"), &shape, NULL), SWATHE_ERROR_UNSUPPORTED,
           "or convert to f32", "u8 into pfm");
    shape.type = SWATHE_F32;
    expect(create_with(io_path("a.ppm"), &shape, NULL), SWATHE_ERROR_UNSUPPORTED,
           "pfm, or convert to u8 or u16 (numbers are kept: above 255 they become "
           "255 in u8)",
           "f32 into ppm");
    shape.type = SWATHE_U8;
    options.compression = "10";
    if (codec_named("png")->built)
        expect(create_with(io_path("a.png"), &shape, &options), SWATHE_ERROR_ARGUMENT,
               "fast, default, small, or 0 (none) to 9 (most)", "compression 10");
    options.compression = NULL;
    options.format = "gif";
    expect(create_with(io_path("a.png"), &shape, &options), SWATHE_ERROR_UNSUPPORTED,
           "the format 'gif' is not supported", "a foreign format");
}

/* Formats that are not built in are reported as such. */
static void check_absent(void)
{
    swathe_shape shape = io_shape(4, 4, 3, SWATHE_U8);
    char name[64];
    for (int i = 0; codec_at(i); i++) {
        if (codec_at(i)->built)
            continue;
        snprintf(name, sizeof name, "a.%.*s", (int)strcspn(codec_at(i)->extensions, ","),
                 codec_at(i)->extensions);
        expect(create_with(io_path(name), &shape, NULL), SWATHE_ERROR_UNSUPPORTED,
               "this build does not include", name);
    }
}

/* ---- Order ---------------------------------------------------------------------------------- */

static swathe_status read_rows(swathe_source *source, const swathe_image *image, int64_t x,
                               int64_t y, int64_t width, int64_t height)
{
    swathe_image part = *image;
    part.x = x;
    part.y = y;
    part.width = width;
    part.height = height;
    return source->read(source->user, &part);
}

static void check_read_order(void)
{
    swathe_source *source;
    io_save(io_path("plain"), io_samples[2].bytes, io_samples[2].size);
    if (!io_check(file_open(&memory_default, 1 << 28, io_path("plain"), NULL, &source) == SWATHE_OK,
                  "plain: %s", fail_text()))
        return;
    struct io_image image = io_image_make(&source->shape, IO_DENSE);
    const swathe_image *view = &image.view;
    expect(read_rows(source, view, 0, 1, 5, 1), SWATHE_ERROR_ARGUMENT, "row 0 is next", "row 1");
    expect(read_rows(source, view, 1, 0, 4, 1), SWATHE_ERROR_ARGUMENT, "full rows", "half a row");
    expect(read_rows(source, view, 0, 2, 5, 2), SWATHE_ERROR_ARGUMENT, "not within", "row 3");
    expect(read_rows(source, view, 0, 0, 5, 2), SWATHE_OK, "", "rows 0 and 1");
    image.view.channels = 3;
    expect(read_rows(source, view, 0, 2, 1, 1), SWATHE_ERROR_ARGUMENT, "3 channels of u8",
           "other channels");
    io_image_free(&image);
    file_close(source);
}

static void check_write_order(void)
{
    swathe_shape shape = io_shape(6, 4, 1, SWATHE_U8);
    swathe_sink *sink;
    if (!io_check(file_create(&memory_default, 1 << 28, io_path("order.pgm"), &shape, NULL, NULL,
                              &sink) == SWATHE_OK,
                  "order.pgm: %s", fail_text()))
        return;
    struct io_image image = io_image_make(&shape, IO_DENSE);
    image.view.height = 2;
    io_fill_noise(&image.view, 1);
    expect(sink->write(sink->user, &image.view), SWATHE_OK, "", "rows 0 and 1");
    expect(sink->write(sink->user, &image.view), SWATHE_ERROR_ARGUMENT, "row 2 is next", "again");
    expect(file_commit(sink), SWATHE_ERROR_ARGUMENT, "12 of 24 pixels", "half a file");
    file_discard(sink);
    io_check(access(io_path("order.pgm"), F_OK) != 0, "an incomplete file remained");
    io_image_free(&image);
}

static void messages(void)
{
    io_check(limits_entry(3) && !limits_entry(4) && limits_entry(0)->usual == 1 << 28,
             "limits table");
    if (codec_named("png")->built)
        check_pixels();
    for (int i = 0; codec_at(i); i++)
        if (codec_at(i)->built) {
            check_memory(codec_at(i));
            check_metadata(codec_at(i));
        }
    check_inputs();
    check_outputs();
    check_absent();
    check_read_order();
    check_write_order();
}

/* ---- Metadata ------------------------------------------------------------------------------- */

/* ICC, EXIF, XMP and resolution are read back unchanged, or not at all; PNG keeps all of them. */

struct block {
    const char *name;
    const void *want, *got;
    size_t want_size, got_size;
};

/* The block is kept with the same bytes. */
static bool check_block(const char *format, const struct block *block, bool must)
{
    if (block->got_size == 0)
        return io_check(!must, "%s lost its %s", format, block->name) && false;
    bool same = block->got_size == block->want_size &&
                memcmp(block->got, block->want, block->want_size) == 0;
    io_check(same, "%s changed its %s: %zu bytes instead of %zu", format, block->name,
             block->got_size, block->want_size);
    return same;
}

static bool check_resolution(const char *format, const swathe_metadata *want,
                             const swathe_metadata *got, bool must)
{
    if (got->x_resolution == 0 && got->y_resolution == 0)
        return io_check(!must, "%s lost its resolution", format) && false;
    bool close = fabs(got->x_resolution / want->x_resolution - 1) < 0.002 &&
                 fabs(got->y_resolution / want->y_resolution - 1) < 0.002;
    io_check(close, "%s changed its resolution: %g x %g instead of %g x %g", format,
             got->x_resolution, got->y_resolution, want->x_resolution, want->y_resolution);
    return close;
}

static void check_kept_metadata(const char *format, const swathe_metadata *want,
                                const swathe_metadata *got, bool must)
{
    struct block blocks[] = {
        {"ICC profile", want->icc, got->icc, want->icc_size, got->icc_size},
        {"EXIF block", want->exif, got->exif, want->exif_size, got->exif_size},
        {"XMP packet", want->xmp, got->xmp, want->xmp_size, got->xmp_size},
    };
    printf("%s keeps:", format);
    for (int i = 0; i < 3; i++)
        if (check_block(format, &blocks[i], must))
            printf(" %s,", blocks[i].name);
    printf(" %s\n", check_resolution(format, want, got, must) ? "resolution" : "");
}

static swathe_source *open_file(const char *path)
{
    swathe_source *source = NULL;
    io_check(file_open(&memory_default, 1 << 28, path, NULL, &source) == SWATHE_OK, "not read: %s",
             fail_text());
    return source;
}

static void check_codec(const struct codec *codec, const swathe_shape *shape)
{
    struct io_image image = io_image_make(shape, IO_DENSE);
    io_fill_smooth(&image.view, 3);
    swathe_metadata metadata = io_sample_metadata(shape->channels);
    swathe_write_options options = io_faithful(codec);
    swathe_status status = io_write(io_path("image"), &image.view, &metadata, &options, 4);
    swathe_source *source = NULL;
    if (io_check(status == SWATHE_OK, "%s: not written: %s", codec->name, fail_text()))
        source = open_file(io_path("image"));
    if (source)
        check_kept_metadata(codec->name, &metadata, source->metadata,
                            strcmp(codec->name, "png") == 0);
    file_close(source);
    io_image_free(&image);
}

/* ---- PNG metadata after the pixels ---------------------------------------------------------- */

static size_t chunk_size(const uint8_t *at)
{
    return 12 + ((size_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3]);
}

/* Moves the eXIf and iTXt chunks after the last IDAT. */
static void move_to_end(uint8_t *bytes, size_t size)
{
    uint8_t *moved = malloc(size);
    if (!moved)
        exit(EXIT_FAILURE);
    size_t to = 8;
    memcpy(moved, bytes, 8);
    for (int pass = 0; pass < 3; pass++)
        for (size_t at = 8; at < size; at += chunk_size(bytes + at)) {
            bool late = !memcmp(bytes + at + 4, "eXIf", 4) || !memcmp(bytes + at + 4, "iTXt", 4);
            bool end = !memcmp(bytes + at + 4, "IEND", 4);
            if ((end ? 2 : late ? 1 : 0) != pass)
                continue;
            memcpy(moved + to, bytes + at, chunk_size(bytes + at));
            to += chunk_size(bytes + at);
        }
    io_save(io_path("late"), moved, to);
    free(moved);
}

static void check_late(const struct codec *png)
{
    swathe_shape shape = io_shape(9, 9, 3, SWATHE_U8);
    check_codec(png, &shape);
    size_t size;
    uint8_t *bytes = io_load(io_path("image"), &size);
    move_to_end(bytes, size);
    free(bytes);
    swathe_metadata metadata = io_sample_metadata(3);
    swathe_source *source = open_file(io_path("late"));
    if (source)
        check_kept_metadata("png with late chunks", &metadata, source->metadata, true);
    struct io_image image;
    if (source && io_check(io_read_source(source, IO_DENSE, 2, &image) == SWATHE_OK,
                           "png with late chunks: %s", fail_text()))
        io_image_free(&image);
    file_close(source);
}

static void metadata_kept(void)
{
    for (int i = 0; codec_at(i); i++)
        for (int32_t channels = 1; codec_at(i)->built && channels <= 3; channels += 2) {
            swathe_shape shape = io_shape(12, 10, channels, SWATHE_U8);
            if (!codec_holds(codec_at(i), &shape))
                shape.type = SWATHE_F32;
            check_codec(codec_at(i), &shape);
        }
    if (codec_named("png")->built)
        check_late(codec_named("png"));
}

int main(void)
{
    messages();
    metadata_kept();
    io_folder_remove();
    return io_finish("io_messages");
}
