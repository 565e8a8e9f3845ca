/* Portable Float Map: f32, grey or RGB, rows from the bottom up, either byte order. Only the sign
 * of the scale in the header is used, for the byte order: samples are not scaled. */
#include "base/checked.h"
#include "base/text.h"
#include "image/view.h"
#include "io/bytes/output.h"
#include "io/raw/netpbm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SCRATCH = 1 << 16, SAMPLE = 4 };

struct pfm {
    bool little; /* the file is little-endian */
    int64_t data_at, row_bytes;
    uint8_t scratch[SCRATCH];
};

/* The offset of a pixel in the file; row 0 is the last. */
static int64_t pfm_offset(const struct pfm *pfm, const swathe_shape *shape, int64_t x, int64_t y)
{
    return pfm->data_at + (shape->height - 1 - y) * pfm->row_bytes + x * shape->channels * SAMPLE;
}

static swathe_status pfm_set_layout(struct pfm *pfm, const swathe_shape *shape, int64_t data_at)
{
    pfm->data_at = data_at;
    if (!checked_mul3(shape->width, shape->channels, SAMPLE, &pfm->row_bytes))
        return fail(SWATHE_ERROR_LIMIT, "rows of %" PRId64 " pixels exceed 2^63 bytes",
                    shape->width);
    return SWATHE_OK;
}

/* ---- Reading -------------------------------------------------------------------------------- */

bool codec_pfm_detect(const uint8_t *head, size_t size)
{
    return size >= 3 && head[0] == 'P' && (head[1] == 'F' || head[1] == 'f') &&
           netpbm_is_space(head[2]);
}

static void pfm_unpack(const struct pfm *pfm, const swathe_image *into, char *row, int64_t count)
{
    const uint8_t *b = pfm->scratch;
    for (int64_t i = 0; i < count; i++, row += into->pixel_stride)
        for (int32_t c = 0; c < into->channels; c++, b += SAMPLE) {
            uint32_t bits = pfm->little ? (uint32_t)b[3] << 24 | b[2] << 16 | b[1] << 8 | b[0]
                                        : (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
            memcpy(row + c * into->channel_stride, &bits, SAMPLE);
        }
}

static swathe_status pfm_read_part(struct image_reader *reader, const swathe_image *into)
{
    struct pfm *pfm = reader->state;
    int64_t pixel = (int64_t)into->channels * SAMPLE, most = SCRATCH / pixel;
    for (int64_t y = into->y + into->height - 1; y >= into->y; y--) { /* in the order of the file */
        TRY(stream_seek(reader->in, pfm_offset(pfm, &reader->shape, into->x, y)));
        for (int64_t x = 0; x < into->width; x += most) {
            int64_t count = min64(most, into->width - x);
            TRY(stream_read_all(reader->in, pfm->scratch, (size_t)(count * pixel)));
            pfm_unpack(pfm, into, view_at(into, into->x + x, y, 0), count);
        }
    }
    return SWATHE_OK;
}

static swathe_status pfm_read_header(struct image_reader *reader)
{
    struct pfm *pfm = reader->state;
    swathe_shape *shape = &reader->shape;
    char word[NETPBM_WORD];
    double scale;
    TRY(netpbm_word(reader->in, word));
    if (strcmp(word, "PF") != 0 && strcmp(word, "Pf") != 0)
        return fail(SWATHE_ERROR_INPUT, "not a PFM file: it starts with '%.8s'", word);
    shape->channels = word[1] == 'F' ? 3 : 1;
    shape->type = SWATHE_F32;
    netpbm_colors(shape);
    TRY(netpbm_number(reader->in, "its width", VIEW_EXTENT_MAX, &shape->width));
    TRY(netpbm_number(reader->in, "its height", VIEW_EXTENT_MAX, &shape->height));
    TRY(netpbm_word(reader->in, word));
    if (!text_to_double(word, &scale) || scale == 0)
        return fail(SWATHE_ERROR_INPUT,
                    "its header has '%s' as its scale, which must be a number other than 0", word);
    pfm->little = scale < 0;
    return pfm_set_layout(pfm, shape, stream_tell(reader->in));
}

swathe_status codec_pfm_open(struct image_reader *reader)
{
    reader->encoding.compression = "none";
    struct pfm *pfm;
    TRY(memory_new(reader->memory, 1, sizeof *pfm, "a PFM buffer", &pfm));
    reader->state = pfm;
    reader->close = reader_free_state;
    reader->read = pfm_read_part;
    TRY(pfm_read_header(reader));
    TRY(stream_make_seekable(reader->in, reader->limits.max_spool));
    return netpbm_check_size(reader->in, pfm->data_at, reader->shape.height, pfm->row_bytes);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void pfm_pack(struct pfm *pfm, const swathe_image *from, const char *row, int64_t count)
{
    uint8_t *to = pfm->scratch;
    for (int64_t i = 0; i < count; i++, row += from->pixel_stride)
        for (int32_t c = 0; c < from->channels; c++) {
            uint32_t bits;
            memcpy(&bits, row + c * from->channel_stride, SAMPLE);
            for (int shift = 0; shift < 32; shift += 8)
                *to++ = (uint8_t)(bits >> shift);
        }
}

/* Writes the lowest row first, so that the bytes of a part are contiguous in the file. */
static swathe_status pfm_write_part(struct image_writer *writer, const swathe_image *from)
{
    struct pfm *pfm = writer->state;
    int64_t pixel = (int64_t)from->channels * SAMPLE, most = SCRATCH / pixel;
    for (int64_t y = from->y + from->height - 1; y >= from->y; y--) {
        TRY(output_seek(writer->out, pfm_offset(pfm, &writer->shape, from->x, y)));
        for (int64_t x = 0; x < from->width; x += most) {
            int64_t count = min64(most, from->width - x);
            pfm_pack(pfm, from, view_at(from, from->x + x, y, 0), count);
            TRY(output_write(writer->out, pfm->scratch, (size_t)(count * pixel)));
        }
    }
    return SWATHE_OK;
}

swathe_status codec_pfm_create(struct image_writer *writer)
{
    struct pfm *pfm;
    char header[128];
    TRY(memory_new(writer->memory, 1, sizeof *pfm, "a PFM buffer", &pfm));
    writer->state = pfm;
    writer->close = writer_free_state;
    writer->write = pfm_write_part;
    writer->finish = writer_finish_nothing;
    TRY(output_make_seekable(writer->out));
    int size = snprintf(header, sizeof header, "P%c\n%" PRId64 " %" PRId64 "\n-1.0\n",
                        writer->shape.channels == 1 ? 'f' : 'F', writer->shape.width,
                        writer->shape.height);
    TRY(pfm_set_layout(pfm, &writer->shape, size));
    return output_write(writer->out, header, (size_t)size);
}
