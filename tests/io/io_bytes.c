/* Readers and writers that fail at any call, for every format: the status and text are returned
 * unchanged, no file is published, and readers and writers are released exactly once. */
#include "io_check.h"
#include "io_ways.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FREE_MEMORY = 1 << 28, CALLS_MOST = 4000, SHORT = 8 };

static swathe_shape shape_for(const struct codec *codec)
{
    swathe_shape shape = io_shape(150, 170, 3, SWATHE_U8);
    if (!codec_holds(codec, &shape))
        shape.type = SWATHE_F32;
    return shape;
}

static struct io_image make_image(const struct codec *codec)
{
    swathe_shape shape = shape_for(codec);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    io_fill_noise(&image.view, 3);
    return image;
}

static swathe_status read_with(struct io_callback *callback, const struct codec *codec)
{
    swathe_source *source;
    struct io_image image;
    char name[64];
    snprintf(name, sizeof name, "picture.%s", codec->name);
    swathe_reader reader = io_callback_reader(callback, name);
    TRY(file_open_reader(&memory_default, FREE_MEMORY, &reader, NULL, &source));
    swathe_status status = io_read_source(source, IO_DENSE, 16, &image);
    if (status == SWATHE_OK)
        io_image_free(&image);
    file_close(source);
    return status;
}

/* Until no calls are left to fail. */
static void check_readers(const struct codec *codec, uint8_t *bytes, size_t size)
{
    swathe_status status = SWATHE_ERROR_IO;
    int call = 0;
    for (int step = 1; status != SWATHE_OK && call < CALLS_MOST; step += call / 8) {
        struct io_callback callback = {.bytes = bytes, .size = size, .fail_at = call += step};
        status = read_with(&callback, codec);
        bool reached = atomic_load(&callback.calls) >= call;
        io_check(status == (reached ? SWATHE_ERROR_IO : SWATHE_OK) &&
                     (!reached || strstr(fail_text(), IO_CALLBACK_FAILS)),
                 "%s, call %d of the reader fails: %d, %s", codec->name, call, (int)status,
                 fail_text());
        io_check(atomic_load(&callback.destroyed) == 1, "%s: destroyed %d times", codec->name,
                 atomic_load(&callback.destroyed));
    }
    io_check(status == SWATHE_OK && call > 2, "%s: %d calls, then %d", codec->name, call,
             (int)status);
}

static swathe_status write_with(struct io_callback *callback, const struct codec *codec,
                                const swathe_image *image)
{
    swathe_sink *sink;
    swathe_shape shape = io_shape(image->width, image->height, image->channels, image->type);
    swathe_write_options options = io_faithful(codec);
    swathe_writer writer = io_callback_writer(callback, NULL);
    TRY(file_create_writer(&memory_default, FREE_MEMORY, &writer, &shape, NULL, &options, &sink));
    swathe_status status = sink->write(sink->user, image);
    if (status == SWATHE_OK)
        status = file_commit(sink);
    file_discard(sink);
    return status;
}

static void check_writers(const struct codec *codec, const swathe_image *image)
{
    swathe_status status = SWATHE_ERROR_IO;
    for (int call = 1; status != SWATHE_OK && call < CALLS_MOST; call++) {
        struct io_callback callback = {.fail_at = call};
        status = write_with(&callback, codec, image);
        bool reached = atomic_load(&callback.calls) >= call;
        io_check(status == (reached ? SWATHE_ERROR_IO : SWATHE_OK) &&
                     (!reached || strstr(fail_text(), IO_CALLBACK_FAILS)),
                 "%s, call %d of the writer fails: %d, %s", codec->name, call, (int)status,
                 fail_text());
        io_check(callback.abandoned == reached && callback.finished == !reached,
                 "%s, call %d: finished %d times, abandoned %d times", codec->name, call,
                 callback.finished, callback.abandoned);
        free(callback.bytes);
    }
    io_check(status == SWATHE_OK, "%s: the writer never ends", codec->name);
}

/* A sink that is not committed, and one that is refused. */
static void check_abandoned(const struct codec *codec)
{
    struct io_callback dropped = {0}, refused = {0};
    swathe_shape shape = shape_for(codec);
    swathe_write_options options = io_faithful(codec);
    swathe_writer writer = io_callback_writer(&dropped, NULL);
    swathe_sink *sink = NULL;
    swathe_status status =
        file_create_writer(&memory_default, FREE_MEMORY, &writer, &shape, NULL, &options, &sink);
    if (io_check(status == SWATHE_OK, "%s: %s", codec->name, fail_text()))
        file_discard(sink);
    io_check(dropped.abandoned == 1 && dropped.finished == 0 && dropped.size == 0,
             "%s: abandoned %d times", codec->name, dropped.abandoned);
    writer = io_callback_writer(&refused, "picture.unknown");
    options.format = NULL;
    status =
        file_create_writer(&memory_default, FREE_MEMORY, &writer, &shape, NULL, &options, &sink);
    io_check(status == SWATHE_ERROR_ARGUMENT && refused.abandoned == 1 && refused.calls == 0,
             "no format: %d, abandoned %d times", (int)status, refused.abandoned);
    free(dropped.bytes);
}

/* ---- Two threads on a TIFF ------------------------------------------------------------------ */

/* Once armed, the first call waits for call `fail_at`, which fails. */
struct gate {
    const uint8_t *bytes;
    atomic_bool armed;
    atomic_int calls;
    int fail_at;
    const swathe_source *source;
    swathe_status status;
};

static swathe_status read_gate(void *user, int64_t offset, void *buffer, size_t count, size_t *got)
{
    struct gate *gate = user;
    int call = atomic_load(&gate->armed) ? atomic_fetch_add(&gate->calls, 1) + 1 : 0;
    if (call == gate->fail_at)
        return swathe_error_set(SWATHE_ERROR_IO, IO_CALLBACK_FAILS);
    while (call == 1 && atomic_load(&gate->calls) < gate->fail_at)
        sched_yield();
    *got = count < SHORT ? count : SHORT;
    memcpy(buffer, gate->bytes + offset, *got);
    return SWATHE_OK;
}

static void *read_first(void *user)
{
    struct gate *gate = user;
    struct io_image image;
    gate->status = io_read_source(gate->source, IO_DENSE, 0, &image);
    if (gate->status == SWATHE_OK)
        io_image_free(&image);
    return NULL;
}

/* Reads are so short that the directory is not kept: the second thread reads it again. */
static swathe_status write_tiles(struct io_callback *to)
{
    swathe_shape shape = io_shape(64, 64, 1, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_writer writer = io_callback_writer(to, "tiles.tif");
    swathe_sink *sink = NULL;
    io_fill_smooth(&image.view, 3);
    options.tile = 16;
    options.compression = "none";
    swathe_status status =
        file_create_writer(&memory_default, FREE_MEMORY, &writer, &shape, NULL, &options, &sink);
    if (status == SWATHE_OK)
        status = sink->write(sink->user, &image.view);
    if (status == SWATHE_OK)
        status = file_commit(sink);
    file_discard(sink);
    io_image_free(&image);
    return status;
}

/* The second time because the first failed. */
static void read_second(struct gate *gate)
{
    struct io_image image;
    for (int i = 0; i < 2; i++) {
        swathe_status status = io_read_source(gate->source, IO_DENSE, 0, &image);
        io_check(status == SWATHE_ERROR_IO && strstr(fail_text(), IO_CALLBACK_FAILS),
                 "call %d, the second thread's: %d, %s", gate->fail_at, (int)status, fail_text());
    }
}

static void check_threads(const struct io_callback *whole, int fail_at)
{
    struct gate gate = {.bytes = whole->bytes, .fail_at = fail_at};
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    swathe_source *source;
    pthread_t thread;
    reader.user = &gate;
    reader.size = (int64_t)whole->size;
    reader.flags = SWATHE_CONCURRENT;
    reader.read_at = read_gate;
    swathe_status status = file_open_reader(&memory_default, FREE_MEMORY, &reader, NULL, &source);
    if (io_check(status == SWATHE_OK, "tiles: %s", fail_text())) {
        gate.source = source;
        atomic_store(&gate.armed, true);
        pthread_create(&thread, NULL, read_first, &gate);
        while (atomic_load(&gate.calls) < 1)
            sched_yield();
        read_second(&gate);
        pthread_join(thread, NULL);
        io_check(gate.status == SWATHE_OK, "the first thread: %d", (int)gate.status);
        file_close(source);
    }
}

static void check_tiff(void)
{
    struct io_callback whole = {0};
    if (io_check(write_tiles(&whole) == SWATHE_OK, "tiles: %s", fail_text()))
        for (int fail_at = 2; fail_at < 40; fail_at++)
            check_threads(&whole, fail_at);
    free(whole.bytes);
}

int main(void)
{
    for (int i = 0; codec_at(i); i++) {
        const struct codec *codec = codec_at(i);
        if (!codec->built)
            continue;
        struct io_image image = make_image(codec);
        struct io_callback whole = {0};
        io_check(write_with(&whole, codec, &image.view) == SWATHE_OK, "%s: %s", codec->name,
                 fail_text());
        check_readers(codec, whole.bytes, whole.size);
        check_writers(codec, &image.view);
        check_abandoned(codec);
        free(whole.bytes);
        io_image_free(&image);
    }
    if (codec_named("tiff")->built)
        check_tiff();
    return io_finish("io_bytes");
}
