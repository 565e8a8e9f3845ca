#include "io/raw/bmp_codes.h"

#include "base/checked.h"

enum { LINE_END, PICTURE_END, DELTA };

/* Where the next pixel goes. */
struct place {
    int64_t x, y;
    bool ended;
    uint8_t *row; /* receives the pixels; NULL: they are skipped */
    int64_t width;
};

static void put(struct place *place, int count, const uint8_t *bytes, bool nibbles, bool run)
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
    put(place, count, bytes, packed->nibbles, false);
    return SWATHE_OK;
}

static swathe_status take_code(struct stream *in, const struct packed *packed, struct place *place)
{
    uint8_t code[2], delta[2];
    TRY(stream_read_all(in, code, sizeof code));
    if (code[0] > 0) {
        put(place, code[0], code + 1, packed->nibbles, true);
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

static swathe_status expand(struct image_reader *reader, const struct packed_mark *mark,
                            uint8_t *row)
{
    struct place place = {mark->skip, mark->row, false, row, reader->shape.width};
    TRY(stream_seek(reader->in, mark->at));
    while (!place.ended && place.y == mark->row && place.x < place.width)
        TRY(take_code(reader->in, reader->state, &place));
    return SWATHE_OK;
}

/* A missing end-of-bitmap code is accepted if all rows were decoded. */
static swathe_status find_rows(const struct image_reader *reader)
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

swathe_status bmp_codes_open(struct image_reader *reader)
{
    struct packed *packed = reader->state;
    packed->nibbles = packed->bits == 4;
    packed->bits = 8;
    packed->expand = expand;
    TRY(find_rows(reader));
    int64_t bytes = stream_tell(reader->in) - packed->data_at;
    TRY(limits_check_claim(&reader->limits, &reader->shape, bytes)); /* rows may be omitted */
    return packed_start_rows(reader);
}
