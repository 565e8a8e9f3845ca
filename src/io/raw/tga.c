/* TGA (Truevision): grey, RGB or a palette, uncompressed or run-length encoded, from any corner.
 * The format has no magic number: its content is recognised only if all fields of the header are
 * consistent. */
#include "base/checked.h"
#include "image/view.h"
#include "io/bytes/output.h"
#include "io/raw/packed_pixels.h"

#include <inttypes.h>
#include <string.h>

enum { HEADER = 18, FOOTER = 26, EXTENSION = 495 };
enum { INDEXED = 1, COLOR = 2, GREY = 3, RUNS = 8 /* added to one of these */ };
/* In an extension area: the meaning of the attribute bits. */
enum { ATTRIBUTE_AT = 494, ATTRIBUTES_NONE = 0, ATTRIBUTES_IGNORED = 1 };

struct header {
    int kind; /* INDEXED, COLOR or GREY, without RUNS */
    bool runs, mapped;
    int first, entries, entry_bits; /* of the palette */
    int width, height, bits, attribute_bits;
    bool from_right, from_top;
};

/* Without a palette the fields that describe it may have any value. */
static void tga_parse(const uint8_t *bytes, struct header *header)
{
    header->mapped = bytes[1] == 1;
    header->kind = bytes[2] & ~RUNS;
    header->runs = bytes[2] & RUNS;
    header->first = header->mapped ? (int)packed_u16(bytes + 3) : 0;
    header->entries = header->mapped ? (int)packed_u16(bytes + 5) : 0;
    header->entry_bits = header->mapped ? bytes[7] : 0;
    header->width = (int)packed_u16(bytes + 12);
    header->height = (int)packed_u16(bytes + 14);
    header->bits = bytes[16];
    header->attribute_bits = bytes[17] & 15;
    header->from_right = bytes[17] & 16;
    header->from_top = bytes[17] & 32;
}

static bool color_bits(int bits)
{
    return bits == 15 || bits == 16 || bits == 24 || bits == 32;
}

/* True if the header may be that of a TGA. */
static bool tga_plausible(const uint8_t *bytes, const struct header *header)
{
    return bytes[1] <= 1 && bytes[2] < 16 && header->kind >= INDEXED && header->kind <= GREY &&
           header->width > 0 && header->height > 0;
}

static bool known_bits(const struct header *header)
{
    bool map = !header->mapped || (header->entries > 0 && color_bits(header->entry_bits));
    bool bits = header->kind == INDEXED ? header->bits == 8 && header->mapped
                : header->kind == COLOR ? color_bits(header->bits)
                                        : header->bits == 8 || header->bits == 16;
    return map && bits;
}

/* Stricter than the format: files of other formats must not be detected as TGA. */
bool codec_tga_detect(const uint8_t *head, size_t size)
{
    static const uint8_t no_map[5];
    struct header header;
    if (size < HEADER)
        return false;
    tga_parse(head, &header);
    return tga_plausible(head, &header) && known_bits(&header) &&
           (header.mapped || memcmp(head + 3, no_map, sizeof no_map) == 0) && head[17] < 64 &&
           header.attribute_bits <= 8;
}

static swathe_status tga_check_header(const uint8_t *bytes, const struct header *header)
{
    if (!tga_plausible(bytes, header))
        return fail(SWATHE_ERROR_INPUT,
                    "not a TGA file: its header specifies type %d and %d x %d pixels", bytes[2],
                    header->width, header->height);
    if (bytes[17] >= 64)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "TGA with interleaved rows; only rows in order can be read");
    if (!known_bits(header))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "TGA of type %d with %d bits per pixel and %d palette colours of %d bits; "
                    "8-bit indices, "
                    "8- and 16-bit grey, and 15-, 16-, 24- and 32-bit colours can be read",
                    bytes[2], header->bits, header->entries, header->entry_bits);
    return SWATHE_OK;
}

static swathe_status tga_read_header(struct image_reader *reader, struct header *header)
{
    uint8_t bytes[HEADER];
    TRY(stream_read_all(reader->in, bytes, sizeof bytes));
    tga_parse(bytes, header);
    TRY(tga_check_header(bytes, header));
    reader->shape.width = header->width;
    reader->shape.height = header->height;
    return stream_seek(reader->in, HEADER + bytes[0]);
}

/* A file of version 2 may declare that its attribute bits are not alpha. */
static swathe_status read_footer(struct image_reader *reader, struct header *header)
{
    static const char signature[] = "TRUEVISION-XFILE.";
    int64_t size = stream_size(reader->in), here = stream_tell(reader->in);
    uint8_t footer[FOOTER], attribute;
    if (size < HEADER + FOOTER)
        return SWATHE_OK;
    TRY(stream_seek(reader->in, size - FOOTER));
    TRY(stream_read_all(reader->in, footer, sizeof footer));
    int64_t at = packed_u32(footer);
    if (memcmp(footer + 8, signature, sizeof signature) == 0 && at >= HEADER &&
        at <= size - EXTENSION) {
        TRY(stream_seek(reader->in, at + ATTRIBUTE_AT));
        TRY(stream_read_all(reader->in, &attribute, 1));
        if (attribute == ATTRIBUTES_NONE || attribute == ATTRIBUTES_IGNORED)
            header->attribute_bits = 0;
    }
    return stream_seek(reader->in, here);
}

/* ---- Colours -------------------------------------------------------------------------------- */

/* Sets the positions of red, green, blue and alpha in a pixel or an entry of the palette. */
static void set_fields(int bits, struct packed_field fields[4])
{
    static const struct packed_field wide[4] = {{16, 8}, {8, 8}, {0, 8}, {24, 8}};
    static const struct packed_field narrow[4] = {{10, 5}, {5, 5}, {0, 5}, {15, 1}};
    memcpy(fields, bits > 16 ? wide : narrow, sizeof wide);
}

static bool has_alpha(const struct header *header)
{
    int bits = header->kind == INDEXED ? header->entry_bits : header->bits;
    return header->attribute_bits > 0 && (bits == 16 || bits == 32);
}

static swathe_status tga_read_palette(struct image_reader *reader, const struct header *header)
{
    struct packed *packed = reader->state;
    struct packed_field fields[4];
    int64_t bytes = (header->entry_bits + 7) / 8;
    uint8_t entry[4] = {0};
    set_fields(header->entry_bits, fields);
    packed->data_at = stream_tell(reader->in) + header->entries * bytes;
    for (int i = header->first; i < min64(256, header->first + header->entries); i++) {
        TRY(stream_read_all(reader->in, entry, (size_t)bytes));
        for (int c = 0; c < 4; c++)
            packed->colors[i][c] = packed_scale(packed_u32(entry), &fields[c]);
    }
    return SWATHE_OK;
}

static void tga_set_colors(struct image_reader *reader, const struct header *header)
{
    struct packed *packed = reader->state;
    static const struct packed_field grey[2] = {{0, 8}, {8, 8}};
    bool alpha = has_alpha(header);
    packed->indexed = header->kind == INDEXED;
    packed->bits = header->bits == 15 ? 16 : header->bits;
    packed_set_shape(packed, 256, alpha, &reader->shape);
    if (header->kind != GREY) {
        set_fields(header->bits, packed->fields);
        return;
    }
    memcpy(packed->fields, grey, sizeof grey);
    reader->shape.channels = 1 + alpha;
    reader->shape.color = SWATHE_COLOR_GREY;
    reader->shape.alpha = alpha ? 2 : 0;
}

/* ---- Runs ----------------------------------------------------------------------------------- */

/* Reads the start of a packet: a byte for its kind and length, which one pixel or all pixels
 * follow. */
static swathe_status read_packet(struct image_reader *reader, bool *run, int64_t *count)
{
    uint8_t head;
    TRY(stream_read_all(reader->in, &head, 1));
    *run = head & 128;
    *count = (head & 127) + 1;
    return SWATHE_OK;
}

static swathe_status tga_expand(struct image_reader *reader, const struct packed_mark *mark,
                                uint8_t *row)
{
    const struct packed *packed = reader->state;
    int64_t pixel = packed->bits / 8, width = reader->shape.width, skip = mark->skip;
    TRY(stream_seek(reader->in, mark->at));
    for (int64_t x = 0, count; x < width; x += count, skip = 0) {
        bool run;
        uint8_t pixels[128 * 4];
        TRY(read_packet(reader, &run, &count));
        TRY(stream_read_all(reader->in, pixels, (size_t)(run ? pixel : count * pixel)));
        count = min64(count - skip, width - x);
        for (int64_t i = 0; i < count; i++)
            memcpy(row + (x + i) * pixel, pixels + (run ? 0 : (skip + i) * pixel), (size_t)pixel);
    }
    return SWATHE_OK;
}

/* Packets may continue from one row into the next, and past the last. */
static swathe_status tga_find_rows(struct image_reader *reader)
{
    const struct packed *packed = reader->state;
    int64_t pixel = packed->bits / 8, width = reader->shape.width, row = 0, filled = 0;
    TRY(stream_seek(reader->in, packed->data_at));
    for (int64_t packets = 1; row < reader->shape.height; packets++) {
        int64_t at = stream_tell(reader->in), count;
        bool run;
        if (packets % PACKED_CODES_PER_CHECK == 0)
            TRY(cancel_check(&reader->cancel));
        TRY(read_packet(reader, &run, &count));
        int64_t end = stream_tell(reader->in) + (run ? pixel : count * pixel);
        if (end > stream_size(reader->in))
            return fail(SWATHE_ERROR_INPUT, "the file ends early, in row %" PRId64 " of %" PRId64,
                        row, reader->shape.height);
        for (int64_t done = 0, some; done < count && row < reader->shape.height; done += some) {
            some = min64(count - done, width - filled);
            if (filled == 0)
                TRY(packed_mark(reader, row, at, done));
            filled = (filled + some) % width;
            row += filled == 0;
        }
        TRY(stream_seek(reader->in, end));
    }
    return SWATHE_OK;
}

swathe_status codec_tga_open(struct image_reader *reader)
{
    struct packed *packed;
    struct header header;
    TRY(packed_create(reader, &packed));
    TRY(tga_read_header(reader, &header));
    TRY(read_footer(reader, &header));
    TRY(tga_read_palette(reader, &header));
    tga_set_colors(reader, &header);
    packed->bottom_up = !header.from_top;
    packed->mirrored = header.from_right;
    packed->row_bytes = reader->shape.width * packed->bits / 8;
    reader->encoding.palette = packed->indexed;
    reader->encoding.compression = header.runs ? "rle" : "none";
    if (!header.runs)
        return packed_check_size(reader);
    packed->expand = tga_expand;
    TRY(tga_find_rows(reader));
    return packed_start_rows(reader);
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Version 2, uncompressed, from top to bottom: grey or RGB, with or without alpha. */
enum { SIDE_MOST = 65535, FROM_TOP = 32 };

struct tga {
    uint8_t scratch[PACKED_SCRATCH];
};

static swathe_status tga_write_header(struct image_writer *writer)
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

static swathe_status tga_write_part(struct image_writer *writer, const swathe_image *from)
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
static swathe_status tga_finish(struct image_writer *writer)
{
    static const char footer[FOOTER] = "\0\0\0\0\0\0\0\0TRUEVISION-XFILE.";
    return output_write(writer->out, footer, sizeof footer);
}

swathe_status codec_tga_create(struct image_writer *writer)
{
    TRY(memory_new_raw(writer->memory, 1, sizeof(struct tga), "a TGA buffer", &writer->state));
    writer->close = writer_free_state;
    writer->write = tga_write_part;
    writer->finish = tga_finish;
    writer->flags = SWATHE_FORWARD;
    return tga_write_header(writer);
}
