/* WebP through libwebp, decoded in memory as a whole. Of an animation only the first frame is
 * read. */
#include "image/view.h"
#include "io/codec.h"
#include "io/metadata/metadata.h"

#include <string.h>

#include <webp/decode.h>
#include <webp/mux.h>

/* Values that libwebp returns; other values are animations. */
enum { FORMAT_LOSSY = 1, FORMAT_LOSSLESS = 2 };
enum { RIFF_HEAD = 12, CHUNK_HEAD = 8 };

struct webp_reader {
    uint8_t *file; /* until the pixels are decoded */
    int64_t file_size;
    uint8_t *pixels; /* decoded at the first read */
};

bool codec_webp_detect(const uint8_t *head, size_t size)
{
    return size >= 12 && memcmp(head, "RIFF", 4) == 0 && memcmp(head + 8, "WEBP", 4) == 0;
}

static swathe_status webp_read_file(struct image_reader *reader)
{
    struct webp_reader *webp = reader->state;
    TRY(stream_make_seekable(reader->in, reader->limits.max_spool));
    webp->file_size = reader->limits.file_bytes = stream_size(reader->in);
    TRY(limits_check_memory(&reader->limits, webp->file_size, "the WebP file"));
    TRY(memory_new_raw(reader->memory, webp->file_size, 1, "WebP file", &webp->file));
    TRY(stream_seek(reader->in, 0));
    return stream_read_all(reader->in, webp->file, (size_t)webp->file_size);
}

static swathe_status webp_read_decode_failed(VP8StatusCode code)
{
    switch (code) {
    case VP8_STATUS_OUT_OF_MEMORY:
    case VP8_STATUS_USER_ABORT: /* returned by libwebp if it cannot allocate the conversion of
                                   rows */
        return fail(SWATHE_ERROR_MEMORY, "WebP: no memory to decode the image");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "WebP: it uses a feature that libwebp does not support");
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return fail(SWATHE_ERROR_INPUT, "the file ends early");
    default:
        return fail(SWATHE_ERROR_INPUT, "WebP: damaged data");
    }
}

/* Finds the first chunk of a name at or behind `*at`, and moves `*at` behind it. libwebp's mux
 * reports damage and failed allocations in the same way, and metadata must not be dropped for the
 * latter. */
static bool find_chunk(const struct webp_reader *webp, const char *name, int64_t *at,
                       WebPData *data)
{
    while (*at + CHUNK_HEAD <= webp->file_size) {
        const uint8_t *head = webp->file + *at;
        int64_t size = (int64_t)head[4] | head[5] << 8 | head[6] << 16 | (int64_t)head[7] << 24;
        if (size > webp->file_size - *at - CHUNK_HEAD)
            return false;
        *at += CHUNK_HEAD + size + size % 2;
        if (memcmp(head, name, 4) == 0) {
            *data = (WebPData){head + CHUNK_HEAD, (size_t)size};
            return true;
        }
    }
    return false;
}

static int32_t count_frames(const struct webp_reader *webp)
{
    WebPData frame;
    int64_t at = RIFF_HEAD;
    int32_t count = 0;
    while (count < INT32_MAX && find_chunk(webp, "ANMF", &at, &frame))
        count++;
    return count;
}

static swathe_status webp_read_shape(struct image_reader *reader)
{
    const struct webp_reader *webp = reader->state;
    WebPBitstreamFeatures features;
    VP8StatusCode code = WebPGetFeatures(webp->file, (size_t)webp->file_size, &features);
    if (code != VP8_STATUS_OK)
        return webp_read_decode_failed(code);
    reader->shape.width = features.width;
    reader->shape.height = features.height;
    reader->shape.type = SWATHE_U8;
    reader->shape.color = SWATHE_COLOR_RGB;
    reader->shape.channels = features.has_alpha ? 4 : 3;
    reader->shape.alpha = features.has_alpha ? 4 : 0;
    reader->encoding.compression = features.format == FORMAT_LOSSY      ? "lossy"
                                   : features.format == FORMAT_LOSSLESS ? "lossless"
                                                                        : NULL;
    reader->encoding.frames = features.has_animation ? count_frames(webp) : 0;
    TRY(shape_check(&reader->shape));
    TRY(limits_check_whole(&reader->limits, &reader->shape));
    /* our pixels, libwebp's of four bytes per pixel, and the file */
    int64_t pixels = reader->shape.width * reader->shape.height;
    int64_t bytes = pixels * (reader->shape.channels + 4) + webp->file_size;
    reader->held_bytes = pixels * reader->shape.channels;
    return limits_check_memory(&reader->limits, bytes, "decoding the whole WebP image");
}

static swathe_status keep_chunk(struct image_reader *reader, const char *name,
                                enum metadata_kind kind)
{
    WebPData data;
    int64_t at = RIFF_HEAD;
    if (!find_chunk(reader->state, name, &at, &data))
        return SWATHE_OK;
    /* Some writers keep JPEG's prefix before the block. */
    if (kind == METADATA_EXIF && data.size > 6 && memcmp(data.bytes, "Exif\0\0", 6) == 0)
        return reader_store_metadata(reader, kind, data.bytes + 6, data.size - 6);
    return reader_store_metadata(reader, kind, data.bytes, data.size);
}

static swathe_status webp_read_metadata(struct image_reader *reader)
{
    TRY(keep_chunk(reader, "ICCP", METADATA_ICC));
    TRY(keep_chunk(reader, "EXIF", METADATA_EXIF));
    TRY(keep_chunk(reader, "XMP ", METADATA_XMP));
    return exif_read_resolution(reader);
}

/* ---- Pixels --------------------------------------------------------------------------------- */

/* libwebp reports some failed allocations as damage. If memory is available again, a second attempt
 * shows which it was. */
static swathe_status webp_read_check_memory(const struct image_reader *reader)
{
    void *probe;
    TRY(memory_new_raw(reader->memory, reader->shape.width * reader->shape.height, 4,
                       "decoding the WebP image", &probe));
    memory_free(reader->memory, probe);
    return SWATHE_OK;
}

/* Decodes piece by piece, so that it can be cancelled. */
static swathe_status decode_pieces(const struct image_reader *reader, const WebPData *data,
                                   WebPDecoderConfig *config, VP8StatusCode *code)
{
    enum { LEAST = 1 << 15, PIECES = 64 }; /* headers are read again with each piece */
    size_t piece = data->size / PIECES > LEAST ? data->size / PIECES : LEAST;
    swathe_status status = SWATHE_OK;
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, config);
    *code = decoder ? VP8_STATUS_SUSPENDED : VP8_STATUS_OUT_OF_MEMORY;
    for (size_t at = 0; *code == VP8_STATUS_SUSPENDED && at < data->size && status == SWATHE_OK;) {
        at = data->size - at > piece ? at + piece : data->size;
        *code = WebPIUpdate(decoder, data->bytes, at);
        status = cancel_check(&reader->cancel);
    }
    WebPIDelete(decoder);
    return status;
}

/* Decodes an image to position (x, y) of the canvas. */
static swathe_status decode_at(struct image_reader *reader, const WebPData *data, int64_t x,
                               int64_t y)
{
    const struct webp_reader *webp = reader->state;
    const swathe_shape *shape = &reader->shape;
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config))
        return fail(SWATHE_ERROR_INTERNAL,
                    "the version of libwebp differs from that of its header");
    VP8StatusCode code = WebPGetFeatures(data->bytes, data->size, &config.input);
    if (code != VP8_STATUS_OK)
        return webp_read_decode_failed(code);
    if (x < 0 || y < 0 || config.input.width > shape->width - x ||
        config.input.height > shape->height - y)
        return fail(SWATHE_ERROR_INPUT, "WebP: a frame extends outside the image");
    int64_t stride = shape->width * shape->channels;
    int64_t offset = y * stride + x * shape->channels;
    config.output.colorspace = shape->alpha ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = webp->pixels + offset;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = (size_t)(stride * shape->height - offset);
    TRY(decode_pieces(reader, data, &config, &code));
    if (code == VP8_STATUS_BITSTREAM_ERROR) {
        TRY(webp_read_check_memory(reader));
        TRY(decode_pieces(reader, data, &config, &code));
    }
    return code == VP8_STATUS_OK ? SWATHE_OK : webp_read_decode_failed(code);
}

/* Outside the first frame the canvas is empty. */
static swathe_status decode_frame(struct image_reader *reader, WebPMux *mux)
{
    WebPMuxFrameInfo frame;
    if (WebPMuxGetFrame(mux, 1, &frame) != WEBP_MUX_OK)
        return fail(SWATHE_ERROR_INPUT, "WebP: an animation without frames");
    swathe_status status = decode_at(reader, &frame.bitstream, frame.x_offset, frame.y_offset);
    WebPDataClear(&frame.bitstream);
    return status;
}

static swathe_status webp_read_decode(struct image_reader *reader)
{
    struct webp_reader *webp = reader->state;
    WebPData file = {webp->file, (size_t)webp->file_size};
    WebPBitstreamFeatures features;
    VP8StatusCode code = WebPGetFeatures(file.bytes, file.size, &features);
    if (code != VP8_STATUS_OK)
        return webp_read_decode_failed(code);
    if (features.has_animation)
        memset(webp->pixels, 0, (size_t)reader->held_bytes);
    else
        return decode_at(reader, &file, 0, 0);
    WebPMux *mux = WebPMuxCreate(&file, 0);
    if (!mux)
        return fail(SWATHE_ERROR_INPUT, "WebP: a damaged animation");
    swathe_status status = decode_frame(reader, mux);
    WebPMuxDelete(mux);
    return status;
}

static swathe_status decode_once(struct image_reader *reader)
{
    struct webp_reader *webp = reader->state;
    int64_t bytes;
    if (webp->pixels)
        return SWATHE_OK;
    TRY(shape_bytes(&reader->shape, &bytes));
    TRY(memory_new_raw(reader->memory, bytes, 1, "WebP picture", &webp->pixels));
    swathe_status status = webp_read_decode(reader);
    if (status != SWATHE_OK) {
        memory_free(reader->memory, webp->pixels);
        webp->pixels = NULL;
        return status;
    }
    memory_free(reader->memory, webp->file);
    webp->file = NULL;
    return SWATHE_OK;
}

static swathe_status webp_read(struct image_reader *reader, const swathe_image *into)
{
    const struct webp_reader *webp = reader->state;
    swathe_image picture;
    TRY(decode_once(reader));
    TRY(view_init(&reader->shape, SWATHE_INTERLEAVED, webp->pixels, &picture));
    view_copy(&picture, into);
    return SWATHE_OK;
}

static void webp_read_webp_close(struct image_reader *reader)
{
    struct webp_reader *webp = reader->state;
    if (!webp)
        return;
    memory_free(reader->memory, webp->pixels);
    memory_free(reader->memory, webp->file);
    memory_free(reader->memory, webp);
    reader->state = NULL;
}

swathe_status codec_webp_open(struct image_reader *reader)
{
    struct webp_reader *webp;
    TRY(memory_new(reader->memory, 1, sizeof *webp, "WebP reader", &webp));
    reader->state = webp;
    reader->close = webp_read_webp_close;
    reader->read = webp_read;
    TRY(webp_read_file(reader));
    TRY(webp_read_shape(reader));
    return webp_read_metadata(reader);
}
