/* PGM and PPM, or PAM if there is alpha. Binary, with 8 bits or 16 (big-endian, as the formats
 * require). */
#include "base/checked.h"
#include "image/view.h"
#include "io/bytes/output.h"
#include "io/raw/netpbm.h"
#include "io/rows_in_place.h"

#include <inttypes.h>
#include <stdio.h>

enum { SCRATCH = 1 << 16 };

struct pnm {
    uint8_t scratch[SCRATCH];
};

/* Converts pixels from `row` on to the file's layout. */
static size_t pack(struct pnm *pnm, const swathe_image *from, const char *row, int64_t count)
{
    uint8_t *to = pnm->scratch;
    for (int64_t i = 0; i < count; i++, row += from->pixel_stride)
        for (int32_t c = 0; c < from->channels; c++) {
            const char *at = row + c * from->channel_stride;
            unsigned value = from->type == SWATHE_U8 ? *(const uint8_t *)at : *(const uint16_t *)at;
            if (from->type == SWATHE_U16)
                *to++ = (uint8_t)(value >> 8);
            *to++ = (uint8_t)value;
        }
    return (size_t)(to - pnm->scratch);
}

static swathe_status write_row(struct image_writer *writer, const swathe_image *from, int64_t y)
{
    struct pnm *pnm = writer->state;
    int64_t pixel = (int64_t)from->channels * sample_size(from->type), most = SCRATCH / pixel;
    const char *row = view_at(from, 0, y, 0);
    if (from->type == SWATHE_U8 && rows_dense(from))
        return output_write(writer->out, row, (size_t)(from->width * pixel));
    for (int64_t x = 0; x < from->width; x += most) {
        size_t size = pack(pnm, from, row + x * from->pixel_stride, min64(most, from->width - x));
        TRY(output_write(writer->out, pnm->scratch, size));
    }
    return SWATHE_OK;
}

static swathe_status write_part(struct image_writer *writer, const swathe_image *from)
{
    for (int64_t y = from->y; y < from->y + from->height; y++)
        TRY(write_row(writer, from, y));
    return SWATHE_OK;
}

static swathe_status write_header(struct image_writer *writer)
{
    const swathe_shape *shape = &writer->shape;
    int maxval = shape->type == SWATHE_U8 ? 255 : 65535;
    char header[256];
    int size;
    if (shape->channels % 2 == 1)
        size = snprintf(header, sizeof header, "P%c\n%" PRId64 " %" PRId64 "\n%d\n",
                        shape->channels == 1 ? '5' : '6', shape->width, shape->height, maxval);
    else
        size = snprintf(header, sizeof header,
                        "P7\nWIDTH %" PRId64 "\nHEIGHT %" PRId64 "\nDEPTH %d\nMAXVAL %d\n"
                        "TUPLTYPE %s\nENDHDR\n",
                        shape->width, shape->height, shape->channels, maxval,
                        shape->channels == 2 ? "GRAYSCALE_ALPHA" : "RGB_ALPHA");
    return output_write(writer->out, header, (size_t)size);
}

static swathe_status finish(struct image_writer *writer)
{
    (void)writer;
    return SWATHE_OK;
}

static void close_pnm(struct image_writer *writer)
{
    memory_free(writer->memory, writer->state);
}

swathe_status codec_pnm_create(struct image_writer *writer)
{
    TRY(memory_new_raw(writer->memory, 1, sizeof(struct pnm), "a PNM buffer", &writer->state));
    writer->close = close_pnm;
    writer->write = write_part;
    writer->finish = finish;
    writer->flags = SWATHE_FORWARD;
    return write_header(writer);
}
