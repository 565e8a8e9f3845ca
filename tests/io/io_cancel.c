/* A caller that cancels: writers of every format stop before the file appears, slow encoders while
 * they work, and so do decoders that need the whole image before the first row. */
#include "io_check.h"
#include "io_samples.h"
#include "io_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 200, HEIGHT = 300, CODES = 100000, ROWS = CODES / 2 };

static int asked, until;

/* True from call `until` on; never if `until` is 0. */
static int32_t want_to_stop(void *user)
{
    (void)user;
    asked++;
    return until > 0 && asked >= until;
}

/* The status of writing up to the commit, and of the commit. */
static void write_file(const char *path, const struct codec *codec, const char *compression,
                       int stop_at, swathe_status *written, swathe_status *committed)
{
    swathe_shape shape =
        io_shape(WIDTH, HEIGHT, 3, codec->types & HOLD_U8 ? SWATHE_U8 : SWATHE_F32);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = io_faithful(codec);
    swathe_sink *sink = NULL;
    io_fill_smooth(&image.view, 1);
    options.cancelled = want_to_stop;
    options.compression = compression;
    until = 0;
    *written = file_create(&memory_default, 1 << 28, path, &shape, NULL, &options, &sink);
    if (*written == SWATHE_OK)
        *written = sink->write(sink->user, &image.view);
    asked = 0;
    until = stop_at;
    *committed = *written == SWATHE_OK ? file_commit(sink) : *written;
    file_discard(sink);
    io_image_free(&image);
}

static void check_writer(const struct codec *codec, const char *compression)
{
    const char *path = io_path("cancelled");
    const char *way = compression ? compression : "";
    swathe_status written, committed;
    write_file(path, codec, compression, 1, &written, &committed);
    io_check(written == SWATHE_OK, "%s %s: not written: %s", codec->name, way, fail_text());
    io_check(committed == SWATHE_ERROR_CANCELLED, "%s %s: commit gave %d", codec->name, way,
             (int)committed);
    io_check(access(path, F_OK) != 0, "%s %s: a cancelled file exists", codec->name, way);
    write_file(path, codec, compression, 0, &written, &committed);
    io_check(committed == SWATHE_OK, "%s %s: not committed: %s", codec->name, way, fail_text());
    unlink(path);
}

/* The whole image is encoded in one call, during which the callback must be called. */
static void check_slow_writer(const char *name, const char *compression)
{
    const struct codec *codec = codec_named(name);
    swathe_status written, committed;
    if (!codec->built)
        return;
    check_writer(codec, compression);
    write_file(io_path("slow"), codec, compression, 0, &written, &committed);
    io_check(asked > 5, "%s: asked %d times", name, asked);
    for (int stop_at = 2; stop_at < 5; stop_at++) {
        write_file(io_path("stopped"), codec, compression, stop_at, &written, &committed);
        io_check(committed == SWATHE_ERROR_CANCELLED && asked == stop_at,
                 "%s: cancelled at call %d, stopped at %d with %d", name, stop_at, asked,
                 (int)committed);
    }
}

/* Each read calls the callback; one that decodes the whole image in one call does so again. */
static void check_reader(const struct io_sample *sample, bool whole)
{
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    swathe_source *source;
    struct io_image image;
    options.cancelled = want_to_stop;
    asked = until = 0;
    io_save(io_path("sample"), sample->bytes, sample->size);
    for (int i = 0; codec_at(i); i++)
        if (!codec_at(i)->built && strstr(sample->name, codec_at(i)->name))
            return;
    swathe_status opened =
        file_open(&memory_default, 1 << 28, io_path("sample"), &options, &source);
    if (!io_check(opened == SWATHE_OK, "%s: not opened: %s", sample->name, fail_text()))
        return;
    until = whole ? 2 : 1;
    swathe_status status = io_read_source(source, IO_DENSE, 0, &image);
    io_check(status == SWATHE_ERROR_CANCELLED, "%s: read gave %d", sample->name, (int)status);
    if (status == SWATHE_OK)
        io_image_free(&image);
    file_close(source);
}

/* ---- Whole images, and readers -------------------------------------------------------------- */

static swathe_context *context;

static swathe_status save(const swathe_image *image, int stop_at)
{
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.cancelled = want_to_stop;
    options.overwrite = 1;
    asked = 0;
    until = stop_at;
    return swathe_save(context, image, NULL, io_path("large.ppm"), &options);
}

static swathe_status load(int stop_at)
{
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    swathe_image image = SWATHE_INIT(swathe_image);
    options.cancelled = want_to_stop;
    asked = 0;
    until = stop_at;
    swathe_status status = swathe_load(context, io_path("large.ppm"), &options, &image, NULL);
    swathe_free(context, image.data);
    return status;
}

/* Even what is only copied is asked about several times. */
static void check_whole(void)
{
    swathe_shape shape = io_shape(4096, 4096, 3, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        exit(EXIT_FAILURE);
    for (int stop_at = 1; stop_at <= 3; stop_at++)
        io_check(save(&image.view, stop_at) == SWATHE_ERROR_CANCELLED && asked == stop_at,
                 "saving, question %d: asked %d times", stop_at, asked);
    io_check(save(&image.view, 0) == SWATHE_OK, "saving: %s", fail_text());
    for (int stop_at = 1; stop_at <= 3; stop_at++)
        io_check(load(stop_at) == SWATHE_ERROR_CANCELLED && asked == stop_at,
                 "loading, question %d: asked %d times", stop_at, asked);
    io_check(load(0) == SWATHE_OK, "loading: %s", fail_text());
    swathe_context_destroy(context);
    io_image_free(&image);
}

/* Tiles take long to decode: each of them is asked about. */
static void check_tiles(void)
{
    swathe_shape shape = io_shape(64, 64, 1, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options tiles = SWATHE_INIT(swathe_write_options);
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    swathe_source *source = NULL;
    tiles.format = "tiff";
    tiles.tile = 16;
    options.cancelled = want_to_stop;
    if (!codec_named("tiff")->built)
        return;
    io_fill_smooth(&image.view, 1);
    swathe_status status = io_write(io_path("tiles"), &image.view, NULL, &tiles, 64);
    until = 0;
    if (status == SWATHE_OK)
        status = file_open(&memory_default, 1 << 28, io_path("tiles"), &options, &source);
    io_check(status == SWATHE_OK, "tiles: %s", fail_text());
    asked = 0;
    until = 10;
    status = status == SWATHE_OK ? source->read(source->user, &image.view) : status;
    io_check(status == SWATHE_ERROR_CANCELLED && asked == until,
             "16 tiles: status %d, asked %d times", (int)status, asked);
    file_close(source);
    io_image_free(&image);
}

/* Each call of a reader may take long. */
static void check_reader_calls(void)
{
    static uint8_t bytes[] = "P5 2 2 255 abcd";
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    options.cancelled = want_to_stop;
    for (int stop_at = 0; stop_at < 2; stop_at++) {
        struct io_callback callback = {.bytes = bytes, .size = sizeof bytes - 1};
        swathe_reader reader = io_callback_reader(&callback, "grey.pgm");
        swathe_source *source = NULL;
        asked = 0;
        until = stop_at;
        swathe_status status =
            file_open_reader(&memory_default, 1 << 28, &reader, &options, &source);
        io_check(status == (stop_at ? SWATHE_ERROR_CANCELLED : SWATHE_OK) &&
                     asked >= atomic_load(&callback.calls) + stop_at &&
                     (atomic_load(&callback.calls) == 0) == (stop_at == 1),
                 "a reader, stopped at %d: %d, asked %d times, %d calls", stop_at, (int)status,
                 asked, atomic_load(&callback.calls));
        file_close(source);
    }
}

/* Many short codes: opening such a file takes time, and calls the callback. */
static void check_codes(const char *name, const uint8_t *head, size_t size, const uint8_t code[2])
{
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    swathe_source *source = NULL;
    size_t total = size + 2 * CODES;
    uint8_t *bytes = malloc(total);
    memcpy(bytes, head, size);
    for (size_t at = size; at < total; at += 2)
        memcpy(bytes + at, code, 2);
    io_save(io_path(name), bytes, total);
    free(bytes);
    options.cancelled = want_to_stop;
    asked = until = 0;
    swathe_status status = file_open(&memory_default, 1 << 28, io_path(name), &options, &source);
    if (!io_check(status == SWATHE_OK, "%s: %s", name, fail_text()))
        return;
    file_close(source);
    source = NULL;
    until = asked;
    asked = 0;
    status = file_open(&memory_default, 1 << 28, io_path(name), &options, &source);
    io_check(status == SWATHE_ERROR_CANCELLED && until > 0, "%s: called %d times, then %d", name,
             until, (int)status);
    file_close(source);
}

/* Rows of two pixels, each one run. */
static void check_long_runs(void)
{
    static const uint8_t bmp[14 + 40 + 4] = {
        'B',         'M',      [10] = 58, [14] = 40, [18] = 2, [22] = CODES & 255, CODES >> 8 & 255,
        CODES >> 16, [26] = 1, [28] = 8,  [30] = 1,  [46] = 1};
    static const uint8_t tga[18] = {[2] = 11, [12] = 2, [14] = ROWS & 255, ROWS >> 8, [16] = 8};
    check_codes("long.bmp", bmp, sizeof bmp, (const uint8_t[]){0, 0});
    check_codes("long.tga", tga, sizeof tga, (const uint8_t[]){128, 9});
}

int main(void)
{
    for (int i = 0; codec_at(i); i++)
        if (codec_at(i)->built)
            check_writer(codec_at(i), NULL);
    check_slow_writer("webp", NULL);
    check_slow_writer("jpeg", "small");
    for (int i = 0; io_samples[i].name; i++)
        check_reader(&io_samples[i], strcmp(io_samples[i].name, "interlaced png") == 0);
    check_long_runs();
    check_whole();
    check_tiles();
    check_reader_calls();
    io_folder_remove();
    return io_finish("io_cancel");
}
