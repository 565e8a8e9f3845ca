/* BMP of Windows and OS/2: 1 to 32 bits per pixel, palettes, bit fields, run-length encoding. The
 * fourth byte of 32-bit pixels is alpha only if a mask declares it. */
#include "base/checked.h"
#include "image/view.h"
#include "io/bytes/output.h"
#include "io/metadata/metadata.h"
#include "io/raw/packed_pixels.h"

#include <inttypes.h>
#include <string.h>

/* ---- Run-length encoding -------------------------------------------------------------------- */

enum { LINE_END, PICTURE_END, DELTA };

/* Where the next pixel goes. */
struct place {
    int64_t x, y;
    bool ended;
    uint8_t *row; /* receives the pixels; NULL: they are skipped */
    int64_t width;
};

static void put_pixels(struct place *place, int count, const uint8_t *bytes, bool nibbles, bool run)
{
    for (int i = 0; place->row && i < count && place->x + i < place->width; i++) {
        int from = run ? 0 : nibbles ? i / 2 : i;
        int value = !nibbles ? bytes[from] : i % 2 ? bytes[from] & 15 : bytes[from] >> 4;
        place->row[place->x + i] = (uint8_t)value;
    }
    place->x += count;
}

/* Reads uncompressed pixels, which are padded to an even number of bytes. */
static swathe_status take_literal(struct stream *in, const struct packed *packed, int count,
                                  struct place *place)
{
    uint8_t bytes[256];
    int size = packed->nibbles ? (count + 1) / 2 : count;
    TRY(stream_read_all(in, bytes, (size_t)(size + size % 2)));
    put_pixels(place, count, bytes, packed->nibbles, false);
    return SWATHE_OK;
}

static swathe_status take_code(struct stream *in, const struct packed *packed, struct place *place)
{
    uint8_t code[2], delta[2];
    TRY(stream_read_all(in, code, sizeof code));
    if (code[0] > 0) {
        put_pixels(place, code[0], code + 1, packed->nibbles, true);
    } else if (code[1] == LINE_END) {
        place->x = 0;
        place->y++;
    } else if (code[1] == PICTURE_END) {
        place->ended = true;
    } else if (code[1] == DELTA) {
        TRY(stream_read_all(in, delta, sizeof delta));
        place->x += delta[0];
        place->y += delta[1];
    } else {
        return take_literal(in, packed, code[1], place);
    }
    return SWATHE_OK;
}

static swathe_status bmp_expand(struct image_reader *reader, const struct packed_mark *mark,
                                uint8_t *row)
{
    struct place place = {mark->skip, mark->row, false, row, reader->shape.width};
    TRY(stream_seek(reader->in, mark->at));
    while (!place.ended && place.y == mark->row && place.x < place.width)
        TRY(take_code(reader->in, reader->state, &place));
    return SWATHE_OK;
}

/* A missing end-of-bitmap code is accepted if all rows were decoded. */
static swathe_status bmp_find_rows(const struct image_reader *reader)
{
    const struct packed *packed = reader->state;
    int64_t height = reader->shape.height;
    struct place place = {.width = reader->shape.width};
    TRY(stream_seek(reader->in, packed->data_at));
    TRY(packed_mark(reader, 0, packed->data_at, 0));
    for (int64_t codes = 1; !place.ended && place.y < height; codes++) {
        int64_t y = place.y;
        if (codes % PACKED_CODES_PER_CHECK == 0)
            TRY(cancel_check(&reader->cancel));
        if (y == height - 1 && place.x >= place.width)
            break;
        TRY(take_code(reader->in, packed, &place));
        if (place.y > y && place.y < height)
            TRY(packed_mark(reader, place.y, stream_tell(reader->in), place.x));
    }
    return SWATHE_OK;
}

static swathe_status bmp_codes_open(struct image_reader *reader)
{
    struct packed *packed = reader->state;
    packed->nibbles = packed->bits == 4;
    packed->bits = 8;
    packed->expand = bmp_expand;
    TRY(bmp_find_rows(reader));
    int64_t bytes = stream_tell(reader->in) - packed->data_at;
    TRY(limits_check_claim(&reader->limits, &reader->shape, bytes)); /* rows may be omitted */
    return packed_start_rows(reader);
}

/* ---- Reading -------------------------------------------------------------------------------- */

enum {
    FILE_HEADER = 14,
    CORE = 12,
    INFO = 40,
    V2 = 52,
    V3 = 56,
    OS2_LEAST = 16,
    OS2 = 64,
    V4 = 108,
    V5 = 124
};
enum { RGB, RLE8, RLE4, BITFIELDS, JPEG, PNG, ALPHA_BITFIELDS };
enum { EMBEDDED = 0x4d424544 }; /* "MBED" */

/* The header as stored in the file; fields that it lacks are 0. */
struct header {
    uint32_t pixels_at, size, compression;
    uint8_t bytes[V5];
    uint32_t masks[4];
    int bits;
    int64_t palette_at;
    int entries, entry_bytes; /* of the palette */
};

bool codec_bmp_detect(const uint8_t *head, size_t size)
{
    return size >= FILE_HEADER + 4 && head[0] == 'B' && head[1] == 'M' &&
           packed_u32(head + FILE_HEADER) >= CORE && packed_u32(head + FILE_HEADER) <= 255;
}

/* OS/2 2.x has a header of 64 bytes, which may end after any field from the fourth on. */
static bool is_os2(const struct header *header)
{
    return header->size >= OS2_LEAST && header->size <= OS2 && header->size != INFO &&
           header->size != V2 && header->size != V3;
}

static swathe_status bmp_read_header(struct image_reader *reader, struct header *header)
{
    uint8_t start[FILE_HEADER + 4];
    TRY(stream_read_all(reader->in, start, sizeof start));
    header->pixels_at = packed_u32(start + 10);
    header->size = packed_u32(start + FILE_HEADER);
    if (header->size != CORE && header->size != V4 && header->size != V5 &&
        (header->size < OS2_LEAST || header->size > OS2))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "BMP with a header of %" PRIu32 " bytes; 12, 16 to 64, 108 and 124 can be read",
                    header->size);
    memcpy(header->bytes, start + FILE_HEADER, 4);
    return stream_read_all(reader->in, header->bytes + 4, header->size - 4);
}

static swathe_status bmp_read_shape(struct image_reader *reader, struct header *header)
{
    const uint8_t *bytes = header->bytes;
    struct packed *packed = reader->state;
    bool core = header->size == CORE;
    int64_t width = core ? (int64_t)packed_u16(bytes + 4) : (int32_t)packed_u32(bytes + 4);
    int64_t height = core ? (int64_t)packed_u16(bytes + 6) : (int32_t)packed_u32(bytes + 8);
    uint32_t planes = packed_u16(bytes + (core ? 8 : 12));
    header->bits = (int)packed_u16(bytes + (core ? 10 : 14));
    header->compression = core ? RGB : packed_u32(bytes + 16);
    packed->bottom_up = height > 0;
    reader->shape.width = width;
    reader->shape.height = height < 0 ? -height : height;
    if (width < 1 || height == 0 || planes != 1)
        return fail(SWATHE_ERROR_INPUT,
                    "its header specifies %" PRId64 " x %" PRId64 " pixels in %" PRIu32
                    " planes; each side must be at least 1, the number of planes 1",
                    width, height, planes);
    return SWATHE_OK;
}

static swathe_status bmp_check_compression(const struct header *header)
{
    uint32_t how = header->compression;
    int bits = header->bits;
    bool masks = how == BITFIELDS || how == ALPHA_BITFIELDS;
    if (how == RGB && (bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 ||
                       bits == 24 || bits == 32))
        return SWATHE_OK;
    if ((how == RLE8 && bits == 8) || (how == RLE4 && bits == 4) ||
        (masks && (bits == 16 || bits == 32) && !is_os2(header)))
        return SWATHE_OK;
    if ((how == JPEG || how == PNG) && !is_os2(header))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "BMP that contains a %s; only uncompressed, run-length encoded and bit-field "
                    "pixels can be read",
                    how == JPEG ? "JPEG" : "PNG");
    return fail(SWATHE_ERROR_UNSUPPORTED,
                "BMP with %d bits per pixel and compression %" PRIu32
                "; 1, 2, 4, 8, 16, 24 and 32 bits can be read, run-length encoded only 4 and 8",
                bits, how);
}

/* ---- Colours -------------------------------------------------------------------------------- */

/* Masks are in the header, or follow the shortest header that can have them. */
static swathe_status read_masks(struct image_reader *reader, struct header *header)
{
    struct packed *packed = reader->state;
    uint8_t extra[16] = {0};
    bool masks = header->compression == BITFIELDS || header->compression == ALPHA_BITFIELDS;
    size_t behind = !masks || header->size != INFO           ? 0
                    : header->compression == ALPHA_BITFIELDS ? 16
                                                             : 12;
    TRY(stream_read_all(reader->in, extra, behind));
    const uint8_t *from = behind ? extra : header->bytes + INFO;
    for (int c = 0; c < 4 && masks; c++)
        header->masks[c] = packed_u32(from + 4 * c);
    if (!masks) {
        static const uint32_t usual[2][3] = {{0x7c00, 0x3e0, 0x1f}, {0xff0000, 0xff00, 0xff}};
        memcpy(header->masks, usual[header->bits != 16], sizeof usual[0]);
    }
    for (int c = 0; c < 4; c++)
        TRY(packed_set_field(header->bits == 16 ? header->masks[c] & 0xffff : header->masks[c],
                             &packed->fields[c]));
    return SWATHE_OK;
}

/* The pixels may start inside the palette if its declared length is too large. */
static void find_palette(const struct image_reader *reader, struct header *header)
{
    uint32_t used = packed_u32(header->bytes + 32);
    header->palette_at = stream_tell(reader->in);
    header->entry_bytes = header->size == CORE ? 3 : 4;
    int most = header->bits <= 8 ? 1 << header->bits : 0;
    header->entries = used == 0 || used > (uint32_t)most ? most : (int)used;
    int64_t space = header->pixels_at ? (int64_t)header->pixels_at - header->palette_at : INT32_MAX;
    header->entries = (int)min64(header->entries, max64(0, space) / header->entry_bytes);
}

static swathe_status bmp_read_palette(struct image_reader *reader, const struct header *header)
{
    struct packed *packed = reader->state;
    uint8_t entry[4];
    packed->indexed = header->bits <= 8;
    if (packed->indexed && header->entries == 0)
        return fail(SWATHE_ERROR_INPUT, "BMP with %d bits per pixel and no palette", header->bits);
    for (int i = 0; i < header->entries; i++) {
        TRY(stream_read_all(reader->in, entry, (size_t)header->entry_bytes));
        for (int c = 0; c < 3; c++)
            packed->colors[i][c] = entry[2 - c];
    }
    packed->data_at = header->pixels_at ? header->pixels_at : stream_tell(reader->in);
    if (packed->data_at < header->palette_at)
        return fail(SWATHE_ERROR_INPUT, "its pixels start at byte %" PRId64 ", inside its header",
                    packed->data_at);
    return SWATHE_OK;
}

/* ---- Metadata ------------------------------------------------------------------------------- */

static swathe_status read_profile(struct image_reader *reader, const struct header *header)
{
    const uint8_t *bytes = header->bytes;
    int64_t at = FILE_HEADER + (int64_t)packed_u32(bytes + 112), size = packed_u32(bytes + 116);
    uint8_t *profile;
    if (header->size != V5 || packed_u32(bytes + 56) != EMBEDDED || size == 0)
        return SWATHE_OK;
    if (at > stream_size(reader->in) - size)
        return SWATHE_OK; /* the pixels are valid without it */
    TRY(limits_check_metadata(&reader->limits, (uint64_t)size, "ICC profile"));
    TRY(memory_new_raw(reader->memory, size, 1, "ICC profile", &profile));
    swathe_status status = stream_seek(reader->in, at);
    if (status == SWATHE_OK)
        status = stream_read_all(reader->in, profile, (size_t)size);
    if (status == SWATHE_OK)
        status = reader_store_metadata(reader, METADATA_ICC, profile, (size_t)size);
    memory_free(reader->memory, profile);
    return status;
}

static swathe_status bmp_read_metadata(struct image_reader *reader, const struct header *header)
{
    if (header->size >= INFO) {
        reader->metadata.x_resolution = max64(0, (int32_t)packed_u32(header->bytes + 24));
        reader->metadata.y_resolution = max64(0, (int32_t)packed_u32(header->bytes + 28));
    }
    reader->encoding.palette = header->bits <= 8;
    reader->encoding.bits = header->bits < 8 ? header->bits : 0;
    reader->encoding.compression =
        header->compression == RLE8 || header->compression == RLE4 ? "rle" : "none";
    return read_profile(reader, header);
}

swathe_status codec_bmp_open(struct image_reader *reader)
{
    struct packed *packed;
    struct header header = {0};
    TRY(packed_create(reader, &packed));
    TRY(bmp_read_header(reader, &header));
    TRY(bmp_read_shape(reader, &header));
    TRY(bmp_check_compression(&header));
    TRY(read_masks(reader, &header));
    find_palette(reader, &header);
    TRY(bmp_read_palette(reader, &header));
    packed->bits = header.bits;
    packed->row_bytes = ceil_div(reader->shape.width * packed->bits, 32) * 4;
    packed_set_shape(packed, header.entries, packed->fields[3].bits > 0 && header.bits > 8,
                     &reader->shape);
    TRY(bmp_read_metadata(reader, &header));
    if (header.compression == RLE8 || header.compression == RLE4)
        return bmp_codes_open(reader);
    return packed_check_size(reader);
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Rows from the bottom up, which all readers support: grey with a palette, 24-bit RGB, and 32-bit
 * RGB with alpha and masks. A profile or alpha requires version 5 of the header. */
enum { PALETTE = 1024, SRGB = 0x73524742, INTENT_IMAGES = 4 };

struct bmp {
    int64_t data_at, row_bytes;
    uint8_t scratch[PACKED_SCRATCH];
};

static void bmp_put(uint8_t *to, uint32_t value, int bytes)
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
    bmp_put(header + 56, metadata->icc_size > 0 ? EMBEDDED : SRGB, 4);
    bmp_put(header + 108, INTENT_IMAGES, 4);
    if (metadata->icc_size > 0) {
        bmp_put(header + 112, (uint32_t)(V5 + pixels), 4); /* RGB only: no palette between */
        bmp_put(header + 116, (uint32_t)metadata->icc_size, 4);
    }
}

static void bmp_put_header(const struct image_writer *writer, int header_size, int64_t pixels,
                           uint8_t *header)
{
    const swathe_shape *shape = &writer->shape;
    bmp_put(header, (uint32_t)header_size, 4);
    bmp_put(header + 4, (uint32_t)shape->width, 4);
    bmp_put(header + 8, (uint32_t)shape->height, 4);
    bmp_put(header + 12, 1, 2);
    bmp_put(header + 14, (uint32_t)(8 * shape->channels), 2);
    bmp_put(header + 16, shape->channels == 4 ? BITFIELDS : 0, 4);
    bmp_put(header + 20, (uint32_t)pixels, 4);
    bmp_put(header + 24, whole_resolution(writer->metadata->x_resolution), 4);
    bmp_put(header + 28, whole_resolution(writer->metadata->y_resolution), 4);
    bmp_put(header + 32, shape->channels == 1 ? 256 : 0, 4);
    for (int c = 0; c < 4 && shape->channels == 4; c++)
        bmp_put(header + INFO + 4 * c, c < 3 ? 0xff0000u >> 8 * c : 0xff000000u, 4);
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
    bmp_put(to + 2, (uint32_t)end, 4);
    bmp_put(to + 10, (uint32_t)bmp->data_at, 4);
    bmp_put_header(writer, header, bmp->row_bytes * shape->height, to + FILE_HEADER);
    for (int i = 0; i < 256 && shape->channels == 1; i++)
        bmp_put(to + FILE_HEADER + header + 4 * i, (uint32_t)i * 0x10101, 4);
    return output_write(writer->out, to, (size_t)bmp->data_at);
}

static swathe_status bmp_write_row(struct image_writer *writer, const swathe_image *from, int64_t y)
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
static swathe_status bmp_write_part(struct image_writer *writer, const swathe_image *from)
{
    for (int64_t y = from->y + from->height - 1; y >= from->y; y--)
        TRY(bmp_write_row(writer, from, y));
    return SWATHE_OK;
}

static swathe_status bmp_finish(struct image_writer *writer)
{
    const struct bmp *bmp = writer->state;
    const swathe_metadata *metadata = writer->metadata;
    if (metadata->icc_size == 0 || writer->shape.channels < 3)
        return SWATHE_OK;
    TRY(output_seek(writer->out, bmp->data_at + bmp->row_bytes * writer->shape.height));
    return output_write(writer->out, metadata->icc, metadata->icc_size);
}

swathe_status codec_bmp_create(struct image_writer *writer)
{
    TRY(memory_new_raw(writer->memory, 1, sizeof(struct bmp), "a BMP buffer", &writer->state));
    writer->close = writer_free_state;
    writer->write = bmp_write_part;
    writer->finish = bmp_finish;
    TRY(output_make_seekable(writer->out));
    return write_start(writer);
}
