/* TGA, version 2, uncompressed, from top to bottom: grey or RGB, with or without alpha. */
#include "base/checked.h"
#include "image/view.h"
#include "io/bytes/output.h"
#include "io/raw/packed_pixels.h"

#include <inttypes.h>
#include <string.h>

enum { HEADER = 18, SIDE_MOST = 65535, COLOR = 2, GREY = 3, FROM_TOP = 32 };

struct tga {
    uint8_t scratch[PACKED_SCRATCH];
};

static swathe_status write_header(struct image_writer *writer)
{
    const swathe_shape *shape = &writer->shape;
    if (shape->width > SIDE_MOST || shape->height > SIDE_MOST)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%" PRId64 " x %" PRId64 " pixels; a side of a TGA is at most %d, write PNG "
                    "or TIFF instead",
                    shape->width, shape->height, SIDE_MOST);
    uint8_t header[HEADER] = {
        [2] = shape->channels < 3 ? GREY : COLOR,
        [12] = (uint8_t)shape->width,
        [13] = (uint8_t)(shape->width >> 8),
        [14] = (uint8_t)shape->height,
        [15] = (uint8_t)(shape->height >> 8),
        [16] = (uint8_t)(8 * shape->channels),
        [17] = (uint8_t)(FROM_TOP | (shape->channels % 2 == 0 ? 8 : 0)),
    };
    return output_write(writer->out, header, sizeof header);
}

static swathe_status write_part(struct image_writer *writer, const swathe_image *from)
{
    struct tga *tga = writer->state;
    int64_t pixel = from->channels, most = PACKED_SCRATCH / pixel;
    for (int64_t y = from->y; y < from->y + from->height; y++)
        for (int64_t x = 0; x < from->width; x += most) {
            int64_t count = min64(most, from->width - x);
            packed_bgr(from, view_at(from, x, y, 0), count, tga->scratch);
            TRY(output_write(writer->out, tga->scratch, (size_t)(count * pixel)));
        }
    return SWATHE_OK;
}

/* Writes the footer, without an extension or developer area. */
static swathe_status finish(struct image_writer *writer)
{
    static const char footer[26] = "\0\0\0\0\0\0\0\0TRUEVISION-XFILE.";
    return output_write(writer->out, footer, sizeof footer);
}

static void close_tga(struct image_writer *writer)
{
    memory_free(writer->memory, writer->state);
}

swathe_status codec_tga_create(struct image_writer *writer)
{
    TRY(memory_new_raw(writer->memory, 1, sizeof(struct tga), "a TGA buffer", &writer->state));
    writer->close = close_tga;
    writer->write = write_part;
    writer->finish = finish;
    writer->flags = SWATHE_FORWARD;
    return write_header(writer);
}
