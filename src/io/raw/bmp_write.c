/* BMP with rows from the bottom up, which all readers support: grey with a palette, 24-bit RGB, and
 * 32-bit RGB with alpha and masks. A profile or alpha requires version 5 of the header. */
#include "base/checked.h"
#include "image/view.h"
#include "io/bytes/output.h"
#include "io/raw/packed_pixels.h"

#include <inttypes.h>
#include <string.h>

enum { FILE_HEADER = 14, INFO = 40, V5 = 124, PALETTE = 1024, BITFIELDS = 3 };
enum { EMBEDDED = 0x4d424544, SRGB = 0x73524742, INTENT_IMAGES = 4 };

struct bmp {
    int64_t data_at, row_bytes;
    uint8_t scratch[PACKED_SCRATCH];
};

static void put(uint8_t *to, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t whole_resolution(double per_metre)
{
    return per_metre > 0 && per_metre < INT32_MAX ? (uint32_t)(per_metre + 0.5) : 0;
}

/* Writes the colour space: sRGB unless there is a profile. */
static void put_color_space(const struct image_writer *writer, int64_t pixels, uint8_t *header)
{
    const swathe_metadata *metadata = writer->metadata;
    put(header + 56, metadata->icc_size > 0 ? EMBEDDED : SRGB, 4);
    put(header + 108, INTENT_IMAGES, 4);
    if (metadata->icc_size > 0) {
        put(header + 112, (uint32_t)(V5 + pixels), 4); /* RGB only: no palette between */
        put(header + 116, (uint32_t)metadata->icc_size, 4);
    }
}

static void put_header(const struct image_writer *writer, int header_size, int64_t pixels,
                       uint8_t *header)
{
    const swathe_shape *shape = &writer->shape;
    put(header, (uint32_t)header_size, 4);
    put(header + 4, (uint32_t)shape->width, 4);
    put(header + 8, (uint32_t)shape->height, 4);
    put(header + 12, 1, 2);
    put(header + 14, (uint32_t)(8 * shape->channels), 2);
    put(header + 16, shape->channels == 4 ? BITFIELDS : 0, 4);
    put(header + 20, (uint32_t)pixels, 4);
    put(header + 24, whole_resolution(writer->metadata->x_resolution), 4);
    put(header + 28, whole_resolution(writer->metadata->y_resolution), 4);
    put(header + 32, shape->channels == 1 ? 256 : 0, 4);
    for (int c = 0; c < 4 && shape->channels == 4; c++)
        put(header + INFO + 4 * c, c < 3 ? 0xff0000u >> 8 * c : 0xff000000u, 4);
    if (header_size == V5)
        put_color_space(writer, pixels, header);
}

static swathe_status write_start(struct image_writer *writer)
{
    struct bmp *bmp = writer->state;
    const swathe_shape *shape = &writer->shape;
    bool profile = writer->metadata->icc_size > 0 && shape->channels >= 3;
    int header = profile || shape->channels == 4 ? V5 : INFO;
    int64_t end, limit = UINT32_MAX;
    uint8_t *to = bmp->scratch;
    bmp->data_at = FILE_HEADER + header + (shape->channels == 1 ? PALETTE : 0);
    bmp->row_bytes = round_up(size_mul(shape->width, shape->channels), 4);
    end = size_add(size_mul(bmp->row_bytes, shape->height), bmp->data_at);
    end = size_add(end, profile ? (int64_t)writer->metadata->icc_size : 0);
    if (end > limit || shape->width > INT32_MAX || shape->height > INT32_MAX)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%" PRId64 " x %" PRId64 " pixels; a BMP has at most 4 GiB, write TIFF or PNG "
                    "instead",
                    shape->width, shape->height);
    memset(to, 0, (size_t)bmp->data_at);
    memcpy(to, "BM", 2);
    put(to + 2, (uint32_t)end, 4);
    put(to + 10, (uint32_t)bmp->data_at, 4);
    put_header(writer, header, bmp->row_bytes * shape->height, to + FILE_HEADER);
    for (int i = 0; i < 256 && shape->channels == 1; i++)
        put(to + FILE_HEADER + header + 4 * i, (uint32_t)i * 0x10101, 4);
    return output_write(writer->out, to, (size_t)bmp->data_at);
}

static swathe_status write_row(struct image_writer *writer, const swathe_image *from, int64_t y)
{
    struct bmp *bmp = writer->state;
    int64_t pixel = from->channels, most = PACKED_SCRATCH / pixel;
    static const uint8_t padding[4];
    int64_t row = (writer->shape.height - 1 - y) * bmp->row_bytes;
    TRY(output_seek(writer->out, bmp->data_at + row + from->x * pixel));
    for (int64_t x = 0; x < from->width; x += most) {
        int64_t count = min64(most, from->width - x);
        packed_bgr(from, view_at(from, from->x + x, y, 0), count, bmp->scratch);
        TRY(output_write(writer->out, bmp->scratch, (size_t)(count * pixel)));
    }
    if (from->x + from->width < writer->shape.width)
        return SWATHE_OK;
    return output_write(writer->out, padding,
                        (size_t)(bmp->row_bytes - writer->shape.width * pixel));
}

/* Writes the lowest row first, so that the bytes of a part are contiguous in the file. */
static swathe_status write_part(struct image_writer *writer, const swathe_image *from)
{
    for (int64_t y = from->y + from->height - 1; y >= from->y; y--)
        TRY(write_row(writer, from, y));
    return SWATHE_OK;
}

static swathe_status finish(struct image_writer *writer)
{
    const struct bmp *bmp = writer->state;
    const swathe_metadata *metadata = writer->metadata;
    if (metadata->icc_size == 0 || writer->shape.channels < 3)
        return SWATHE_OK;
    TRY(output_seek(writer->out, bmp->data_at + bmp->row_bytes * writer->shape.height));
    return output_write(writer->out, metadata->icc, metadata->icc_size);
}

static void close_bmp(struct image_writer *writer)
{
    memory_free(writer->memory, writer->state);
}

swathe_status codec_bmp_create(struct image_writer *writer)
{
    TRY(memory_new_raw(writer->memory, 1, sizeof(struct bmp), "a BMP buffer", &writer->state));
    writer->close = close_bmp;
    writer->write = write_part;
    writer->finish = finish;
    TRY(output_make_seekable(writer->out));
    return write_start(writer);
}
