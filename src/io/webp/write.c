/* WebP through libwebp, encoded in memory as a whole. The format has no grey: it is written as
 * equal red, green and blue. */
#include "base/checked.h"
#include "image/view.h"
#include "io/bytes/output.h"
#include "io/codec.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <webp/encode.h>
#include <webp/mux.h>

enum { QUALITY_USUAL = 90 };

struct webp_writer {
    uint8_t *pixels; /* RGB or RGBA */
    int64_t pixel;   /* bytes of a pixel */
};

/* Checks the memory for our pixels, for libwebp's copy of four bytes each and for its output. */
static swathe_status webp_write_check_shape(const struct image_writer *writer)
{
    const swathe_shape *shape = &writer->shape;
    if (shape->width > WEBP_MAX_DIMENSION || shape->height > WEBP_MAX_DIMENSION)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%" PRId64 " x %" PRId64 " pixels; a side of a WebP is at most %d, write PNG, "
                    "JPEG or TIFF instead",
                    shape->width, shape->height, WEBP_MAX_DIMENSION);
    if (shape->alpha ? shape->alpha != shape->channels || shape->channels % 2
                     : shape->channels % 2 == 0)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "WebP stores grey or RGB with or without alpha, not %d other channels; write "
                    "TIFF instead",
                    shape->channels);
    TRY(limits_check_whole(&writer->limits, shape));
    return limits_check_memory(&writer->limits, shape->width * shape->height * 12,
                               "encoding the whole image as WebP");
}

/* Grey is copied to all three colours. */
static swathe_status webp_write(struct image_writer *writer, const swathe_image *from)
{
    const struct webp_writer *webp = writer->state;
    swathe_shape shape = writer->shape;
    swathe_image canvas, to;
    bool grey = shape.channels < 3;
    shape.channels = (int32_t)webp->pixel;
    shape.alpha = 0;
    TRY(view_init(&shape, SWATHE_INTERLEAVED, webp->pixels, &canvas));
    swathe_rect rect = view_rect(from);
    TRY(view_crop(&canvas, &rect, &to));
    for (int32_t c = 0; c < shape.channels; c++) {
        swathe_image one_from = *from, one_to = to;
        one_from.channels = one_to.channels = 1;
        int32_t source = !grey ? c : c < 3 ? 0 : 1;
        one_from.data = (char *)from->data + source * from->channel_stride;
        one_to.data = (char *)to.data + c;
        view_copy(&one_from, &one_to);
    }
    return SWATHE_OK;
}

/* ---- Encoding ------------------------------------------------------------------------------- */

static swathe_status webp_write_no_memory(void)
{
    return fail(SWATHE_ERROR_MEMORY, "WebP: no memory to encode the image");
}

/* Output goes to memory, so a failed write means out of memory. Without an error code, libwebp
 * failed to allocate rows for the conversion to YUV. */
static swathe_status encode_failed(const WebPPicture *picture)
{
    switch (picture->error_code) {
    case VP8_ENC_OK:
    case VP8_ENC_ERROR_BAD_WRITE:
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
        return webp_write_no_memory();
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG:
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "the image is too large for WebP; lower the quality or write another format");
    case VP8_ENC_ERROR_USER_ABORT:
        return SWATHE_ERROR_CANCELLED; /* the text is already recorded */
    default:
        return fail(SWATHE_ERROR_INTERNAL, "WebP: encoding failed with code %d",
                    (int)picture->error_code);
    }
}

static swathe_status webp_write_configure(const struct image_writer *writer, WebPConfig *config)
{
    const char *stored = writer->encoding->compression; /* if the source is a WebP */
    int quality = writer->options->quality;
    bool keep = stored && strcmp(stored, "lossless") == 0 && quality == 0;
    if (!WebPConfigInit(config))
        return fail(SWATHE_ERROR_INTERNAL,
                    "the version of libwebp differs from that of its header");
    if (writer->options->lossless || keep) {
        WebPConfigLosslessPreset(config, 6);
        config->exact = 1; /* colours of transparent pixels too */
    } else {
        config->quality = (float)(quality ? quality : QUALITY_USUAL);
    }
    return SWATHE_OK;
}

/* Checks for cancellation. 0 makes libwebp stop. */
static int webp_write_go_on(int percent, const WebPPicture *picture)
{
    const struct image_writer *writer = picture->user_data;
    (void)percent;
    return cancel_check(&writer->cancel) == SWATHE_OK;
}

/* libwebp forgets failed allocations when it tries the next compression method
 * (VP8LBitWriterReset), and then reports success for a file that lacks most of the image. errno
 * shows that malloc failed. */
static swathe_status webp_write_encode(const struct image_writer *writer, WebPMemoryWriter *coded)
{
    const struct webp_writer *webp = writer->state;
    WebPConfig config;
    WebPPicture picture;
    TRY(webp_write_configure(writer, &config));
    if (!WebPPictureInit(&picture))
        return fail(SWATHE_ERROR_INTERNAL,
                    "the version of libwebp differs from that of its header");
    picture.use_argb = config.lossless;
    picture.width = (int)writer->shape.width;
    picture.height = (int)writer->shape.height;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = coded;
    picture.progress_hook = webp_write_go_on;
    picture.user_data = (void *)writer;
    int stride = (int)(writer->shape.width * webp->pixel);
    int done = webp->pixel == 4 ? WebPPictureImportRGBA(&picture, webp->pixels, stride)
                                : WebPPictureImportRGB(&picture, webp->pixels, stride);
    errno = 0;
    done = done && WebPEncode(&config, &picture);
    swathe_status status = !done             ? encode_failed(&picture)
                           : errno == ENOMEM ? webp_write_no_memory()
                                             : SWATHE_OK;
    WebPPictureFree(&picture);
    return status;
}

/* ---- Container ------------------------------------------------------------------------------ */

static bool set_chunk(WebPMux *mux, const char *name, const void *block, size_t size)
{
    WebPData data = {block, size};
    return !block || size == 0 || WebPMuxSetChunk(mux, name, &data, 0) == WEBP_MUX_OK;
}

static bool webp_write_assemble(WebPMux *mux, const WebPMemoryWriter *coded,
                                const swathe_metadata *metadata, WebPData *file)
{
    WebPData image = {coded->mem, coded->size};
    return WebPMuxSetImage(mux, &image, 0) == WEBP_MUX_OK &&
           set_chunk(mux, "ICCP", metadata->icc, metadata->icc_size) &&
           set_chunk(mux, "EXIF", metadata->exif, metadata->exif_size) &&
           set_chunk(mux, "XMP ", metadata->xmp, metadata->xmp_size) &&
           WebPMuxAssemble(mux, file) == WEBP_MUX_OK;
}

/* Ensures that our reader accepts the file. */
static swathe_status write_readable(const struct image_writer *writer, const void *file,
                                    size_t size)
{
    swathe_status status = limits_check_claim(&writer->limits, &writer->shape, (int64_t)size);
    if (status != SWATHE_OK)
        return fail_within(status, "reading it would fail: ");
    return output_write(writer->out, file, size);
}

static swathe_status webp_write_file(const struct image_writer *writer,
                                     const WebPMemoryWriter *coded)
{
    const swathe_metadata *metadata = writer->metadata;
    if (!metadata->icc && !metadata->exif && !metadata->xmp)
        return write_readable(writer, coded->mem, coded->size);
    WebPMux *mux = WebPMuxNew();
    if (!mux)
        return fail(SWATHE_ERROR_MEMORY, "WebP: no memory to assemble the file");
    WebPData file;
    WebPDataInit(&file);
    swathe_status status = webp_write_assemble(mux, coded, metadata, &file)
                               ? write_readable(writer, file.bytes, file.size)
                               : fail(SWATHE_ERROR_MEMORY, "WebP: the file could not be assembled");
    WebPDataClear(&file);
    WebPMuxDelete(mux);
    return status;
}

static swathe_status webp_finish(struct image_writer *writer)
{
    WebPMemoryWriter coded;
    WebPMemoryWriterInit(&coded);
    swathe_status status = webp_write_encode(writer, &coded);
    if (status == SWATHE_OK)
        status = webp_write_file(writer, &coded);
    WebPMemoryWriterClear(&coded);
    return status;
}

static void webp_write_webp_close(struct image_writer *writer)
{
    struct webp_writer *webp = writer->state;
    if (!webp)
        return;
    memory_free(writer->memory, webp->pixels);
    memory_free(writer->memory, webp);
    writer->state = NULL;
}

swathe_status codec_webp_create(struct image_writer *writer)
{
    struct webp_writer *webp;
    const swathe_shape *shape = &writer->shape;
    int quality = writer->options->quality;
    if (quality < 0 || quality > 100)
        return fail(SWATHE_ERROR_ARGUMENT, "quality %d; WebP takes 1 to 100, or lossless", quality);
    if (quality && writer->options->lossless)
        return fail(SWATHE_ERROR_ARGUMENT, "quality %d and lossless; WebP takes one of them",
                    quality);
    TRY(webp_write_check_shape(writer));
    TRY(memory_new(writer->memory, 1, sizeof *webp, "WebP writer", &webp));
    writer->state = webp;
    writer->close = webp_write_webp_close;
    writer->write = webp_write;
    writer->finish = webp_finish;
    webp->pixel = shape->alpha ? 4 : 3;
    return memory_new(writer->memory, shape->width * shape->height, webp->pixel, "WebP picture",
                      &webp->pixels);
}
