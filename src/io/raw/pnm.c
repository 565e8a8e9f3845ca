/* PBM, PGM and PPM, as text or binary, and PAM. Samples are scaled so that the file's maximum
 * becomes 255 or 65535. */
#include "base/checked.h"
#include "image/view.h"
#include "io/bytes/output.h"
#include "io/codec.h"
#include "io/raw/netpbm.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCRATCH = 1 << 16, MAXVAL_MOST = 65535 };

struct pnm {
    bool plain; /* samples are stored as text */
    bool bits;  /* eight pixels per byte, 1 is black */
    int64_t maxval;
    int64_t sample_bytes; /* in the file: 1 or 2 */
    int64_t data_at, row_bytes;
    uint8_t scaled[256]; /* table that scales 8-bit samples */
    size_t used, filled; /* bytes of the scratch, if plain */
    uint8_t scratch[SCRATCH];
};

bool codec_pnm_detect(const uint8_t *head, size_t size)
{
    return size >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' &&
           (netpbm_is_space(head[2]) || head[2] == '#');
}

/* ---- Samples -------------------------------------------------------------------------------- */

/* The order of operations is the same as in Pillow, so that halves round the same way. */
static int64_t pnm_scale(int64_t value, int64_t maxval, int64_t most)
{
    return min64(most, (int64_t)rint((double)value / (double)maxval * (double)most));
}

static uint16_t scale_16(const struct pnm *pnm, int64_t value)
{
    return (uint16_t)(pnm->maxval == MAXVAL_MOST ? value
                                                 : pnm_scale(value, pnm->maxval, MAXVAL_MOST));
}

static void pnm_store(const struct pnm *pnm, swathe_type type, int64_t value, char *at)
{
    if (type == SWATHE_U8)
        *(uint8_t *)at = pnm->scaled[value];
    else
        *(uint16_t *)at = scale_16(pnm, value);
}

static char *pnm_row_of(const swathe_image *into, int64_t y)
{
    return view_at(into, into->x, y, 0);
}

static void store_binary(const struct pnm *pnm, const swathe_image *into, char *row, int64_t count)
{
    const uint8_t *from = pnm->scratch;
    for (int64_t i = 0; i < count; i++, row += into->pixel_stride)
        for (int32_t c = 0; c < into->channels; c++, from += pnm->sample_bytes)
            pnm_store(pnm, into->type, pnm->sample_bytes == 1 ? from[0] : from[0] << 8 | from[1],
                      row + c * into->channel_stride);
}

static swathe_status read_binary(struct image_reader *reader, const swathe_image *into, int64_t y)
{
    struct pnm *pnm = reader->state;
    int64_t pixel = pnm->sample_bytes * into->channels, most = SCRATCH / pixel;
    char *row = pnm_row_of(into, y);
    if (stream_seekable(reader->in))
        TRY(stream_seek(reader->in, pnm->data_at + y * pnm->row_bytes + into->x * pixel));
    if (into->type == SWATHE_U8 && pnm->maxval == 255 && rows_dense(into))
        return stream_read_all(reader->in, row, (size_t)(into->width * pixel));
    for (int64_t x = 0; x < into->width; x += most) {
        int64_t count = min64(most, into->width - x);
        TRY(stream_read_all(reader->in, pnm->scratch, (size_t)(count * pixel)));
        store_binary(pnm, into, row + x * into->pixel_stride, count);
    }
    return SWATHE_OK;
}

static swathe_status read_bits(struct image_reader *reader, const swathe_image *into, int64_t y)
{
    struct pnm *pnm = reader->state;
    char *row = pnm_row_of(into, y);
    int64_t skip = into->x % 8, x = 0;
    if (stream_seekable(reader->in))
        TRY(stream_seek(reader->in, pnm->data_at + y * pnm->row_bytes + into->x / 8));
    while (x < into->width) {
        int64_t count = min64(SCRATCH * 8, skip + into->width - x);
        TRY(stream_read_all(reader->in, pnm->scratch, (size_t)ceil_div(count, 8)));
        for (int64_t i = skip; i < count; i++, x++)
            *(uint8_t *)(row + x * into->pixel_stride) =
                pnm->scratch[i / 8] >> (7 - i % 8) & 1 ? 0 : 255;
        skip = 0;
    }
    return SWATHE_OK;
}

/* ---- Words ---------------------------------------------------------------------------------- */

/* Reads the next byte; -1 at the end of the file. */
static swathe_status pnm_next_byte(struct image_reader *reader, int *byte)
{
    struct pnm *pnm = reader->state;
    if (pnm->used == pnm->filled) {
        TRY(stream_read(reader->in, pnm->scratch, SCRATCH, &pnm->filled));
        pnm->used = 0;
    }
    *byte = pnm->filled > 0 ? pnm->scratch[pnm->used++] : -1;
    return SWATHE_OK;
}

/* Reads the first byte of the next sample; skips spaces and comments. */
static swathe_status pnm_next_word(struct image_reader *reader, int *byte)
{
    bool comment = false;
    int gap = 0;
    do {
        TRY(pnm_next_byte(reader, byte));
        if (gap++ == NETPBM_GAP)
            return fail(SWATHE_ERROR_INPUT,
                        "more than %d bytes of spaces and comments between two samples",
                        NETPBM_GAP);
        comment = *byte == '#' || (comment && *byte != '\n' && *byte != '\r');
    } while (*byte >= 0 && (comment || netpbm_is_space(*byte)));
    if (*byte < 0)
        return fail(SWATHE_ERROR_INPUT, "the file ends early, within its samples");
    if (*byte < '0' || *byte > '9')
        return fail(SWATHE_ERROR_INPUT, "a sample starts with byte 0x%02x, not with a digit",
                    (unsigned)*byte);
    return SWATHE_OK;
}

static swathe_status next_sample(struct image_reader *reader, int64_t *sample)
{
    struct pnm *pnm = reader->state;
    int byte;
    TRY(pnm_next_word(reader, &byte));
    int64_t value = 0;
    while (byte >= '0' && byte <= '9') {
        value = value * 10 + (byte - '0');
        if (value > pnm->maxval)
            return fail(SWATHE_ERROR_INPUT, "a sample exceeds the maximum of %" PRId64,
                        pnm->maxval);
        if (pnm->bits)
            break;
        TRY(pnm_next_byte(reader, &byte));
    }
    if (byte == '#')
        pnm->used--; /* the comment starts at this byte */
    else if (!pnm->bits && byte >= 0 && !netpbm_is_space(byte))
        return fail(SWATHE_ERROR_INPUT, "a sample is followed by byte 0x%02x, not by a space",
                    (unsigned)byte);
    *sample = pnm->bits ? 1 - value : value;
    return SWATHE_OK;
}

static swathe_status pnm_read_plain(struct image_reader *reader, const swathe_image *into,
                                    int64_t y)
{
    const struct pnm *pnm = reader->state;
    char *row = pnm_row_of(into, y);
    for (int64_t x = 0; x < into->width; x++)
        for (int32_t c = 0; c < into->channels; c++) {
            int64_t sample = 0;
            TRY(next_sample(reader, &sample));
            pnm_store(pnm, into->type, sample,
                      row + x * into->pixel_stride + c * into->channel_stride);
        }
    return SWATHE_OK;
}

static swathe_status pnm_read_part(struct image_reader *reader, const swathe_image *into)
{
    const struct pnm *pnm = reader->state;
    for (int64_t y = into->y; y < into->y + into->height; y++)
        TRY(pnm->plain  ? pnm_read_plain(reader, into, y)
            : pnm->bits ? read_bits(reader, into, y)
                        : read_binary(reader, into, y));
    return SWATHE_OK;
}

/* ---- Headers -------------------------------------------------------------------------------- */

static swathe_status read_pnm_header(struct image_reader *reader, char digit)
{
    struct pnm *pnm = reader->state;
    swathe_shape *shape = &reader->shape;
    pnm->plain = digit <= '3';
    pnm->bits = digit == '1' || digit == '4';
    reader->encoding.bits = pnm->bits ? 1 : 0;
    pnm->maxval = 1;
    shape->channels = digit == '3' || digit == '6' ? 3 : 1;
    TRY(netpbm_number(reader->in, "its width", VIEW_EXTENT_MAX, &shape->width));
    TRY(netpbm_number(reader->in, "its height", VIEW_EXTENT_MAX, &shape->height));
    if (!pnm->bits)
        TRY(netpbm_number(reader->in, "its maximum", MAXVAL_MOST, &pnm->maxval));
    return SWATHE_OK;
}

/* Reads a line of a name and a value. The tuple type is ignored, because it only repeats the
 * depth. */
static swathe_status read_pam_line(struct image_reader *reader, const char *name)
{
    struct pnm *pnm = reader->state;
    swathe_shape *shape = &reader->shape;
    char value[NETPBM_WORD];
    int64_t channels;
    if (strcmp(name, "WIDTH") == 0)
        return netpbm_number(reader->in, name, VIEW_EXTENT_MAX, &shape->width);
    if (strcmp(name, "HEIGHT") == 0)
        return netpbm_number(reader->in, name, VIEW_EXTENT_MAX, &shape->height);
    if (strcmp(name, "MAXVAL") == 0)
        return netpbm_number(reader->in, name, MAXVAL_MOST, &pnm->maxval);
    if (strcmp(name, "TUPLTYPE") == 0)
        return netpbm_word(reader->in, value);
    if (strcmp(name, "DEPTH") != 0)
        return fail(SWATHE_ERROR_INPUT, "its header has an unknown line '%s'", name);
    TRY(netpbm_number(reader->in, name, VIEW_CHANNELS_MAX, &channels));
    shape->channels = (int32_t)channels;
    return SWATHE_OK;
}

static swathe_status read_pam_header(struct image_reader *reader)
{
    const struct pnm *pnm = reader->state;
    char name[NETPBM_WORD];
    for (;;) {
        TRY(netpbm_word(reader->in, name));
        if (strcmp(name, "ENDHDR") == 0)
            break;
        TRY(read_pam_line(reader, name));
    }
    const swathe_shape *shape = &reader->shape;
    if (!shape->width || !shape->height || !shape->channels || !pnm->maxval)
        return fail(SWATHE_ERROR_INPUT, "its header lacks WIDTH, HEIGHT, DEPTH or MAXVAL");
    return SWATHE_OK;
}

static swathe_status pnm_check_layout(struct image_reader *reader)
{
    struct pnm *pnm = reader->state;
    swathe_shape *shape = &reader->shape;
    int64_t pixel = pnm->sample_bytes * shape->channels;
    pnm->data_at = stream_tell(reader->in);
    if (pnm->plain || !stream_seekable(reader->in))
        reader->flags = SWATHE_FORWARD;
    if (pnm->bits)
        pnm->row_bytes = ceil_div(shape->width, 8);
    else if (!checked_mul(shape->width, pixel, &pnm->row_bytes))
        return fail(SWATHE_ERROR_LIMIT, "rows of %" PRId64 " pixels exceed 2^63 bytes",
                    shape->width);
    if (!stream_seekable(reader->in))
        return SWATHE_OK;
    if (!pnm->plain)
        return netpbm_check_size(reader->in, pnm->data_at, shape->height, pnm->row_bytes);
    /* A sample is a digit, and a space unless it is a bit; the last row may end with a digit. */
    int64_t least = shape->width; /* at most VIEW_EXTENT_MAX, 2^40 */
    if (!pnm->bits)
        least *= 2 * shape->channels;
    return netpbm_check_size(reader->in, pnm->data_at - 1, shape->height, least);
}

swathe_status codec_pnm_open(struct image_reader *reader)
{
    struct pnm *pnm;
    char magic[NETPBM_WORD];
    TRY(memory_new(reader->memory, 1, sizeof *pnm, "a PNM buffer", &pnm));
    reader->state = pnm;
    reader->close = reader_free_state;
    reader->read = pnm_read_part;
    TRY(netpbm_word(reader->in, magic));
    if (magic[0] != 'P' || magic[1] < '1' || magic[1] > '7' || magic[2])
        return fail(SWATHE_ERROR_INPUT, "not a PNM file: it starts with '%.8s'", magic);
    TRY(magic[1] == '7' ? read_pam_header(reader) : read_pnm_header(reader, magic[1]));
    pnm->sample_bytes = pnm->maxval < 256 ? 1 : 2;
    reader->shape.type = pnm->maxval < 256 ? SWATHE_U8 : SWATHE_U16;
    netpbm_colors(&reader->shape);
    for (int64_t i = 0; i < 256; i++)
        pnm->scaled[i] = (uint8_t)pnm_scale(i, min64(pnm->maxval, 255), 255);
    return pnm_check_layout(reader);
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* PGM and PPM, or PAM if there is alpha. Binary, with 8 bits or 16 (big-endian, as the formats
 * require). */

struct pnm_writer {
    uint8_t scratch[SCRATCH];
};

/* Converts pixels from `row` on to the file's layout. */
static size_t pnm_pack(struct pnm_writer *pnm, const swathe_image *from, const char *row,
                       int64_t count)
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

static swathe_status pnm_write_row(struct image_writer *writer, const swathe_image *from, int64_t y)
{
    struct pnm_writer *pnm = writer->state;
    int64_t pixel = (int64_t)from->channels * sample_size(from->type), most = SCRATCH / pixel;
    const char *row = view_at(from, 0, y, 0);
    if (from->type == SWATHE_U8 && rows_dense(from))
        return output_write(writer->out, row, (size_t)(from->width * pixel));
    for (int64_t x = 0; x < from->width; x += most) {
        size_t size =
            pnm_pack(pnm, from, row + x * from->pixel_stride, min64(most, from->width - x));
        TRY(output_write(writer->out, pnm->scratch, size));
    }
    return SWATHE_OK;
}

static swathe_status pnm_write_part(struct image_writer *writer, const swathe_image *from)
{
    for (int64_t y = from->y; y < from->y + from->height; y++)
        TRY(pnm_write_row(writer, from, y));
    return SWATHE_OK;
}

static swathe_status pnm_write_header(struct image_writer *writer)
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

swathe_status codec_pnm_create(struct image_writer *writer)
{
    TRY(memory_new_raw(writer->memory, 1, sizeof(struct pnm_writer), "a PNM buffer",
                       &writer->state));
    writer->close = writer_free_state;
    writer->write = pnm_write_part;
    writer->finish = writer_finish_nothing;
    writer->flags = SWATHE_FORWARD;
    return pnm_write_header(writer);
}
