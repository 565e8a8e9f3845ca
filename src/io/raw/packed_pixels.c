#include "io/raw/packed_pixels.h"

#include "base/checked.h"
#include "image/view.h"

#include <inttypes.h>
#include <string.h>

/* ---- Pixels --------------------------------------------------------------------------------- */

/* Where the samples of a part's row go. */
struct target {
    char *at;
    int64_t pixel, channel; /* strides; the stride of pixels is negative if rows are mirrored */
    int32_t channels;
};

/* The first `skip` pixels of `from` are ignored. */
static void store_indexed(const struct packed *packed, const uint8_t *from, int64_t skip,
                          int64_t count, const struct target *to)
{
    int bits = packed->bits, most = (1 << bits) - 1;
    char *at = to->at;
    for (int64_t i = skip; i < skip + count; i++, at += to->pixel) {
        int shift = 8 - bits - (int)(i * bits % 8);
        const uint8_t *color = packed->colors[from[i * bits / 8] >> shift & most];
        for (int32_t c = 0; c < to->channels; c++)
            *(uint8_t *)(at + c * to->channel) = color[c];
    }
}

static bool whole_bytes(const struct packed *packed, int32_t channels)
{
    for (int32_t c = 0; c < channels; c++)
        if (packed->fields[c].bits != 8 || packed->fields[c].shift % 8)
            return false;
    return true;
}

static void packed_pixels_store_bytes(const struct packed *packed, const uint8_t *from,
                                      int64_t count, const struct target *to)
{
    for (int32_t c = 0; c < to->channels; c++) {
        const uint8_t *byte = from + packed->fields[c].shift / 8;
        char *at = to->at + c * to->channel;
        for (int64_t i = 0; i < count; i++, byte += packed->bits / 8, at += to->pixel)
            *(uint8_t *)at = *byte;
    }
}

uint8_t packed_scale(uint32_t word, const struct packed_field *field)
{
    uint64_t most = ((uint64_t)1 << field->bits) - 1;
    return most ? (uint8_t)(((word >> field->shift & most) * 255 + most / 2) / most) : 0;
}

static void store_fields(const struct packed *packed, const uint8_t *from, int64_t count,
                         const struct target *to)
{
    char *at = to->at;
    for (int64_t i = 0; i < count; i++, from += packed->bits / 8, at += to->pixel) {
        uint32_t word = packed->bits == 16 ? packed_u16(from) : packed_u32(from);
        for (int32_t c = 0; c < to->channels; c++)
            *(uint8_t *)(at + c * to->channel) = packed_scale(word, &packed->fields[c]);
    }
}

static void packed_pixels_store(const struct packed *packed, const uint8_t *from, int64_t skip,
                                int64_t count, const struct target *to)
{
    if (packed->indexed)
        store_indexed(packed, from, skip, count, to);
    else if (whole_bytes(packed, to->channels))
        packed_pixels_store_bytes(packed, from, count, to);
    else
        store_fields(packed, from, count, to);
}

void packed_bgr(const swathe_image *from, const char *row, int64_t count, uint8_t *to)
{
    for (int64_t i = 0; i < count; i++, row += from->pixel_stride)
        for (int32_t c = 0; c < from->channels; c++) {
            int32_t source = from->channels > 2 && c < 3 ? 2 - c : c;
            *to++ = *(const uint8_t *)(row + source * from->channel_stride);
        }
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static swathe_status packed_pixels_read_plain(struct image_reader *reader, int64_t row, int64_t x,
                                              int64_t count, struct target to)
{
    struct packed *packed = reader->state;
    int64_t first = x * packed->bits / 8, skip = packed->bits < 8 ? x * packed->bits % 8 : 0;
    TRY(stream_seek(reader->in, packed->data_at + row * packed->row_bytes + first));
    skip = packed->bits < 8 ? skip / packed->bits : 0;
    while (count > 0) {
        int64_t some = min64(count, PACKED_SCRATCH * (int64_t)8 / packed->bits - skip);
        TRY(stream_read_all(reader->in, packed->scratch,
                            (size_t)ceil_div((skip + some) * packed->bits, 8)));
        packed_pixels_store(packed, packed->scratch, skip, some, &to);
        to.at += some * to.pixel;
        count -= some;
        skip = 0;
    }
    return SWATHE_OK;
}

static const struct packed_mark *find_mark(const struct packed *packed, int64_t row)
{
    int64_t low = 0, high = packed->mark_count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (packed->marks[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < packed->mark_count && packed->marks[low].row == row ? &packed->marks[low] : NULL;
}

static swathe_status read_runs(struct image_reader *reader, int64_t row, int64_t x, int64_t count,
                               const struct target *to)
{
    struct packed *packed = reader->state;
    int64_t pixel = packed->bits / 8;
    if (packed->expanded != row) {
        const struct packed_mark *mark = find_mark(packed, row);
        packed->expanded = -1;
        memset(packed->row, 0, (size_t)(reader->shape.width * pixel));
        if (mark)
            TRY(packed->expand(reader, mark, packed->row));
        packed->expanded = row;
    }
    packed_pixels_store(packed, packed->row + x * pixel, 0, count, to);
    return SWATHE_OK;
}

/* Reads rows in the file's order, so that its bytes are read from the first to the last. */
static swathe_status packed_pixels_read_part(struct image_reader *reader, const swathe_image *into)
{
    const struct packed *packed = reader->state;
    const swathe_shape *shape = &reader->shape;
    for (int64_t i = 0; i < into->height; i++) {
        int64_t y = into->y + (packed->bottom_up ? into->height - 1 - i : i);
        int64_t row = packed->bottom_up ? shape->height - 1 - y : y;
        int64_t x = packed->mirrored ? shape->width - into->x - into->width : into->x;
        int64_t last = packed->mirrored ? into->x + into->width - 1 : into->x;
        struct target to = {view_at(into, last, y, 0),
                            packed->mirrored ? -into->pixel_stride : into->pixel_stride,
                            into->channel_stride, into->channels};
        TRY(packed->expand ? read_runs(reader, row, x, into->width, &to)
                           : packed_pixels_read_plain(reader, row, x, into->width, to));
    }
    return SWATHE_OK;
}

/* ---- Opening -------------------------------------------------------------------------------- */

static void close_packed(struct image_reader *reader)
{
    struct packed *packed = reader->state;
    if (!packed)
        return;
    memory_free(reader->memory, packed->marks);
    memory_free(reader->memory, packed->row);
    memory_free(reader->memory, packed);
}

swathe_status packed_create(struct image_reader *reader, struct packed **packed)
{
    TRY(memory_new(reader->memory, 1, sizeof **packed, "rows of a file", packed));
    (*packed)->expanded = -1;
    reader->state = *packed;
    reader->read = packed_pixels_read_part;
    reader->close = close_packed;
    return stream_make_seekable(reader->in, reader->limits.max_spool);
}

swathe_status packed_set_field(uint32_t mask, struct packed_field *field)
{
    *field = (struct packed_field){0, 0};
    if (mask == 0)
        return SWATHE_OK;
    while (!(mask >> field->shift & 1))
        field->shift++;
    while (field->shift + field->bits < 32 && mask >> (field->shift + field->bits) & 1)
        field->bits++;
    if ((uint64_t)mask >> field->shift >> field->bits)
        return fail(SWATHE_ERROR_INPUT,
                    "the bits of colour mask 0x%08" PRIx32 " are not contiguous", mask);
    return SWATHE_OK;
}

void packed_set_shape(const struct packed *packed, int entries, bool alpha, swathe_shape *shape)
{
    bool grey = packed->indexed;
    for (int i = 0; i < entries && grey; i++)
        grey = packed->colors[i][0] == packed->colors[i][1] &&
               packed->colors[i][0] == packed->colors[i][2] && !alpha;
    shape->type = SWATHE_U8;
    shape->channels = (grey ? 1 : 3) + alpha;
    shape->color = grey ? SWATHE_COLOR_GREY : SWATHE_COLOR_RGB;
    shape->alpha = alpha ? shape->channels : 0;
}

swathe_status packed_check_size(const struct image_reader *reader)
{
    const struct packed *packed = reader->state;
    const swathe_shape *shape = &reader->shape;
    /* The last row may lack its padding. Sides are below 2^32. */
    int64_t last = ceil_div(shape->width * packed->bits, 8), needed;
    if (!checked_mul(shape->height - 1, packed->row_bytes, &needed) ||
        !checked_add(needed, packed->data_at + last, &needed))
        return fail(SWATHE_ERROR_LIMIT, "%" PRId64 " x %" PRId64 " pixels exceed 2^63 bytes",
                    shape->width, shape->height);
    if (needed > stream_size(reader->in))
        return fail(SWATHE_ERROR_INPUT,
                    "the file ends early: it has %" PRId64 " bytes, its header requires %" PRId64,
                    stream_size(reader->in), needed);
    return SWATHE_OK;
}

static swathe_status packed_pixels_grow(const struct image_reader *reader)
{
    struct packed *packed = reader->state;
    struct packed_mark *marks;
    int64_t capacity = max64(1024, 2 * packed->mark_capacity), size = sizeof *marks;
    TRY(limits_check_memory(&reader->limits, capacity * size, "the row offsets"));
    TRY(memory_new_raw(reader->memory, capacity, size, "the row offsets", &marks));
    if (packed->mark_count > 0)
        memcpy(marks, packed->marks, (size_t)(packed->mark_count * size));
    memory_free(reader->memory, packed->marks);
    packed->marks = marks;
    packed->mark_capacity = capacity;
    return SWATHE_OK;
}

swathe_status packed_mark(const struct image_reader *reader, int64_t row, int64_t at, int64_t skip)
{
    struct packed *packed = reader->state;
    if (packed->mark_count == packed->mark_capacity)
        TRY(packed_pixels_grow(reader));
    packed->marks[packed->mark_count++] = (struct packed_mark){row, at, skip};
    return SWATHE_OK;
}

swathe_status packed_start_rows(const struct image_reader *reader)
{
    struct packed *packed = reader->state;
    int64_t bytes = reader->shape.width * packed->bits / 8;
    TRY(limits_check_memory(&reader->limits, bytes, "rows of this width"));
    return memory_new_raw(reader->memory, bytes, 1, "a row", &packed->row);
}
