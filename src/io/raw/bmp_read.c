/* BMP of Windows and OS/2: 1 to 32 bits per pixel, palettes, bit fields, run-length encoding. The
 * fourth byte of 32-bit pixels is alpha only if a mask declares it. */
#include "base/checked.h"
#include "io/metadata/metadata_blocks.h"
#include "io/raw/bmp_codes.h"

#include <inttypes.h>
#include <string.h>

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

static swathe_status read_header(struct image_reader *reader, struct header *header)
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

static swathe_status read_shape(struct image_reader *reader, struct header *header)
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

static swathe_status check_compression(const struct header *header)
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

static swathe_status read_palette(struct image_reader *reader, const struct header *header)
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

static swathe_status read_metadata(struct image_reader *reader, const struct header *header)
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
    TRY(read_header(reader, &header));
    TRY(read_shape(reader, &header));
    TRY(check_compression(&header));
    TRY(read_masks(reader, &header));
    find_palette(reader, &header);
    TRY(read_palette(reader, &header));
    packed->bits = header.bits;
    packed->row_bytes = ceil_div(reader->shape.width * packed->bits, 32) * 4;
    packed_set_shape(packed, header.entries, packed->fields[3].bits > 0 && header.bits > 8,
                     &reader->shape);
    TRY(read_metadata(reader, &header));
    if (header.compression == RLE8 || header.compression == RLE4)
        return bmp_codes_open(reader);
    return packed_check_size(reader);
}
