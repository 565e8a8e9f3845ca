/* WebP: lossless files keep everything, even colours of transparent pixels; grey becomes RGB; the
 * first frame of an animation is read, on the whole canvas; sides are limited. */
#include "io_check.h"

#include "io/bytes/output.h"

#include <stdlib.h>
#include <string.h>

#include <webp/encode.h>
#include <webp/mux.h>

static void check_lossless(int32_t channels)
{
    char text[128] = "";
    swathe_shape shape = io_shape(61, 37, channels, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_SPREAD), got;
    swathe_write_options options = io_faithful(codec_named("webp"));
    io_fill_noise(&image.view, 8);
    swathe_status status = io_write(io_path("kind.webp"), &image.view, NULL, &options, 7);
    if (status == SWATHE_OK)
        status = io_read(io_path("kind.webp"), NULL, IO_DENSE, 5, &got);
    if (io_check(status == SWATHE_OK, "%d channels: %s", channels, fail_text())) {
        int32_t want = channels < 3 ? channels + 2 : channels;
        io_check(got.view.channels == want && got.view.alpha == (want == 4 ? 4 : 0) &&
                     got.view.color == SWATHE_COLOR_RGB,
                 "%d channels: read back as %d, alpha %d", channels, got.view.channels,
                 got.view.alpha);
        io_check(io_equal(&image.view, &got.view, 0, text, sizeof text), "%d channels: %s",
                 channels, text);
        io_image_free(&got);
    }
    io_image_free(&image);
}

/* Lower quality gives a smaller file; the default is 90. */
static void check_quality(void)
{
    static const int qualities[] = {20, 90, 0};
    size_t sizes[3];
    swathe_shape shape = io_shape(200, 120, 3, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = io_faithful(codec_named("webp"));
    io_fill_smooth(&image.view, 1);
    for (int i = 0; i < 3; i++) {
        options.lossless = 0;
        options.quality = qualities[i];
        swathe_status status = io_write(io_path("quality.webp"), &image.view, NULL, &options, 0);
        io_check(status == SWATHE_OK, "quality %d: %s", qualities[i], fail_text());
        free(io_load(io_path("quality.webp"), &sizes[i]));
    }
    io_check(sizes[0] < sizes[1] && sizes[1] == sizes[2], "sizes %zu, %zu, %zu", sizes[0], sizes[1],
             sizes[2]);
    io_image_free(&image);
}

/* ---- Animation ------------------------------------------------------------------------------ */

enum { CANVAS = 40, FRAME = 16, OFFSET = 8 };

static bool encode_frame(uint8_t value, WebPMemoryWriter *memory)
{
    uint8_t rgba[FRAME * FRAME * 4];
    WebPPicture picture;
    WebPConfig config;
    memset(rgba, value, sizeof rgba);
    WebPMemoryWriterInit(memory);
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture))
        return false;
    config.lossless = config.exact = picture.use_argb = 1;
    picture.width = picture.height = FRAME;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = memory;
    bool done = WebPPictureImportRGBA(&picture, rgba, FRAME * 4) && WebPEncode(&config, &picture);
    WebPPictureFree(&picture);
    return done;
}

static bool push_frame(WebPMux *mux, uint8_t value)
{
    WebPMemoryWriter memory;
    bool done = encode_frame(value, &memory);
    WebPMuxFrameInfo frame = {.bitstream = {memory.mem, memory.size},
                              .x_offset = OFFSET,
                              .y_offset = OFFSET,
                              .duration = 10,
                              .id = WEBP_CHUNK_ANMF};
    done = done && WebPMuxPushFrame(mux, &frame, 1) == WEBP_MUX_OK;
    WebPMemoryWriterClear(&memory);
    return done;
}

static bool make_animation(const char *path)
{
    WebPMux *mux = WebPMuxNew();
    WebPData file = {0};
    WebPMuxAnimParams params = {.bgcolor = 0xFFFFFFFF, .loop_count = 0};
    bool done = mux && push_frame(mux, 100) && push_frame(mux, 200) &&
                WebPMuxSetCanvasSize(mux, CANVAS, CANVAS) == WEBP_MUX_OK &&
                WebPMuxSetAnimationParams(mux, &params) == WEBP_MUX_OK &&
                WebPMuxAssemble(mux, &file) == WEBP_MUX_OK;
    if (done)
        io_save(path, file.bytes, file.size);
    WebPDataClear(&file);
    WebPMuxDelete(mux);
    return done;
}

static void check_animation(void)
{
    struct io_image got;
    int wrong = 0;
    io_check(make_animation(io_path("animation.webp")), "animation: not created");
    swathe_status status = io_read(io_path("animation.webp"), NULL, IO_DENSE, 0, &got);
    if (!io_check(status == SWATHE_OK, "animation: %s", fail_text()))
        return;
    for (int64_t y = 0; y < CANVAS; y++)
        for (int64_t x = 0; x < CANVAS; x++) {
            bool inside = x >= OFFSET && x < OFFSET + FRAME && y >= OFFSET && y < OFFSET + FRAME;
            const uint8_t *pixel = view_at(&got.view, x, y, 0);
            wrong += pixel[0] != (inside ? 100 : 0) || pixel[3] != (inside ? 100 : 0);
        }
    io_check(got.view.width == CANVAS && wrong == 0, "animation: %d pixels wrong", wrong);
    io_image_free(&got);
}

/* An image of one colour takes a few hundred bytes at any size, and is read back without
 * options. */
static void check_blank(void)
{
    swathe_shape shape = io_shape(2600, 2600, 3, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE), got;
    swathe_write_options options = io_faithful(codec_named("webp"));
    memset(image.view.data, 255, (size_t)(image.view.row_stride * shape.height));
    swathe_status status = io_write(io_path("blank.webp"), &image.view, NULL, &options, 0);
    io_check(status == SWATHE_OK, "blank: %s", fail_text());
    status = io_read(io_path("blank.webp"), NULL, IO_DENSE, 0, &got);
    if (io_check(status == SWATHE_OK, "blank: %s", fail_text()))
        io_image_free(&got);
    io_image_free(&image);
}

static swathe_status write_blank(struct image_writer *writer, const swathe_shape *shape)
{
    struct io_image image = io_image_make(shape, IO_DENSE);
    memset(image.view.data, 255, (size_t)(image.view.row_stride * shape->height));
    swathe_status status = codec_named("webp")->create(writer);
    if (status == SWATHE_OK)
        status = writer->write(writer, &image.view);
    if (status == SWATHE_OK)
        status = writer->finish(writer);
    if (writer->close)
        writer->close(writer);
    io_image_free(&image);
    return status;
}

/* An image of one colour takes so few bytes that reading it would be refused, so by default it is
 * not written. The limit is far lower in this test than by default. */
static void check_claim(void)
{
    static const swathe_metadata none = {.struct_size = sizeof none};
    static const swathe_encoding unknown = {.struct_size = sizeof unknown};
    swathe_shape shape = io_shape(600, 600, 3, SWATHE_U8);
    swathe_write_options options = io_faithful(codec_named("webp"));
    for (int asked = 0; asked < 2; asked++) {
        struct image_writer writer = {.memory = &memory_default, .shape = shape};
        options.max_pixels = asked ? 600 * 600 : 0;
        writer.limits = limits_writing(&options, 1 << 28);
        writer.limits.free_pixels = 0;
        writer.metadata = &none;
        writer.encoding = &unknown;
        writer.options = &options;
        swathe_status status =
            output_create(&memory_default, io_path("claim.webp"),
                          &(struct output_options){.overwrite = true}, &writer.out);
        if (status == SWATHE_OK)
            status = write_blank(&writer, &shape);
        io_check(asked ? status == SWATHE_OK
                       : status == SWATHE_ERROR_LIMIT && io_said("[max_pixels "),
                 "600 x 600 pixels of one colour, requested %d: status %d, %s", asked, (int)status,
                 fail_text());
        output_destroy(writer.out);
    }
}

static void check_refused(int64_t width, int quality, int lossless, const char *why)
{
    swathe_shape shape = io_shape(width, 1, 3, SWATHE_U8);
    swathe_write_options options = io_faithful(codec_named("webp"));
    swathe_sink *sink = NULL;
    options.quality = quality;
    options.lossless = lossless;
    swathe_status status = file_create(&memory_default, 1 << 28, io_path("refused.webp"), &shape,
                                       NULL, &options, &sink);
    io_check(status != SWATHE_OK && strstr(fail_text(), why), "status %d: %s", (int)status,
             fail_text());
    if (status == SWATHE_OK)
        file_discard(sink);
}

int main(void)
{
    for (int32_t channels = 1; channels <= 4; channels++)
        check_lossless(channels);
    check_quality();
    check_animation();
    check_blank();
    check_claim();
    check_refused(16384, 90, 0, "16383");
    check_refused(10, 101, 0, "or lossless");
    check_refused(10, 90, 1, "takes one of them");
    io_folder_remove();
    return io_finish("webp_kinds");
}
