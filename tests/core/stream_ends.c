#include "stream_ends.h"

#include <stdlib.h>
#include <string.h>

enum { TILE = 16, STRIP = 6, CONTEXT = 4, SOURCE_TILE = 5 };

static swathe_status wrong(const char *what)
{
    return swathe_error_set(SWATHE_ERROR_INTERNAL, what);
}

/* ---- Sources -------------------------------------------------------------------------------- */

static swathe_status read_view(void *user, const swathe_image *into)
{
    struct stream_ends *ends = user;
    canvas_copy(ends->from, into);
    return SWATHE_OK;
}

static swathe_status read_forward(void *user, const swathe_image *into)
{
    struct stream_ends *ends = user;
    if (into->y != ends->next_read || into->x != 0 || into->width != into->full_width)
        return wrong("a forward source was not read in order");
    ends->next_read += into->height;
    return read_view(user, into);
}

/* ---- Sinks that are written ----------------------------------------------------------------- */

/* The position of a part in the result; a sink's coordinates start at the region. */
static swathe_image place_of(const struct stream_ends *ends, const swathe_image *part)
{
    swathe_image to = ends->to;
    to.x += part->x;
    to.y += part->y;
    to.data = (char *)to.data + part->y * to.row_stride + part->x * to.pixel_stride;
    to.width = part->width;
    to.height = part->height;
    return to;
}

static swathe_status write_view(void *user, const swathe_image *from)
{
    struct stream_ends *ends = user;
    swathe_image to = place_of(ends, from), moved = *from;
    moved.x = to.x;
    moved.y = to.y;
    canvas_copy(&moved, &to);
    return SWATHE_OK;
}

static swathe_status write_forward(void *user, const swathe_image *from)
{
    struct stream_ends *ends = user;
    if (from->y != ends->next_written || from->x != 0 || from->width != from->full_width)
        return wrong("a forward sink was not written in order");
    ends->next_written += from->height;
    return write_view(user, from);
}

/* True if a part covers whole tiles of this edge. */
static bool whole(int64_t start, int64_t length, int64_t extent, int64_t tile)
{
    return start % tile == 0 && (length % tile == 0 || start + length == extent);
}

static swathe_status write_tiles(void *user, const swathe_image *from)
{
    if (!whole(from->x, from->width, from->full_width, TILE) ||
        !whole(from->y, from->height, from->full_height, TILE))
        return wrong("a tiled sink got a part of a tile");
    return write_view(user, from);
}

/* ---- Sinks that prepare and deliver --------------------------------------------------------- */

/* A copy of a part and of its context, the rows above it. */
struct prepared {
    swathe_image view;
    int64_t above;
};

static swathe_status prepare(void *user, const swathe_image *from, int64_t above, void **prepared)
{
    struct stream_ends *ends = user;
    int64_t first = from->y + above, tile = ends->sink.tile_width ? TILE : STRIP;
    int64_t wanted = ends->parts.context_rows < first ? ends->parts.context_rows : first;
    if (above != wanted || !whole(first, from->height - above, from->full_height, tile))
        return wrong("context rows that were not requested");
    struct prepared *made = malloc(sizeof *made);
    made->view = *from;
    made->above = above;
    size_t bytes = (size_t)(from->row_stride * from->height);
    made->view.data = malloc(bytes);
    memcpy(made->view.data, from->data, bytes);
    *prepared = made;
    return SWATHE_OK;
}

/* True if the context rows are those that were delivered before. */
static bool context_right(const struct stream_ends *ends, const struct prepared *prepared)
{
    const swathe_image *view = &prepared->view;
    swathe_image before = *view;
    before.height = prepared->above;
    swathe_image to = place_of(ends, &before);
    for (int64_t y = 0; y < before.height; y++)
        for (int64_t x = 0; x < before.width; x++)
            for (int32_t c = 0; c < before.channels; c++) {
                double a = canvas_get(view, view->x + x, view->y + y, c);
                double b = canvas_get(&to, to.x + x, to.y + y, c);
                if (a != b && (a == a || b == b))
                    return false;
            }
    return true;
}

/* Checks the order: rows of tiles from top to bottom, their parts from left to right. */
static swathe_status take_turn(struct stream_ends *ends, const swathe_image *part)
{
    if (part->x != ends->next_column || part->y != ends->next_written)
        return wrong("a part was delivered out of order");
    ends->next_column = part->x + part->width;
    if (ends->next_column == part->full_width) {
        ends->next_column = 0;
        ends->next_written += part->height;
    }
    return SWATHE_OK;
}

static swathe_status deliver(void *user, void *handed, bool wanted)
{
    struct stream_ends *ends = user;
    struct prepared *prepared = handed;
    swathe_image part = prepared->view;
    void *copy = part.data;
    swathe_status status = SWATHE_OK;
    part.y += prepared->above;
    part.height -= prepared->above;
    part.data = (char *)part.data + prepared->above * part.row_stride;
    if (wanted && !context_right(ends, prepared))
        status = wrong("the rows above a part are not the rows before it");
    if (wanted && status == SWATHE_OK)
        status = take_turn(ends, &part);
    if (wanted && status == SWATHE_OK)
        status = write_view(user, &part);
    free(copy);
    free(prepared);
    return status;
}

/* ---- Both ----------------------------------------------------------------------------------- */

static void init_source(struct stream_ends *ends, enum stream_kind kind)
{
    swathe_source *source = &ends->source;
    bool forward = kind == STREAM_FORWARD || kind == STREAM_TILED || kind == STREAM_RELAY;
    source->read = forward ? read_forward : read_view;
    source->flags = forward ? SWATHE_FORWARD : kind == STREAM_ANY ? 0 : SWATHE_CONCURRENT;
    source->tile_height = kind == STREAM_STRIPS ? SOURCE_TILE : kind == STREAM_BLOCKS ? TILE : 0;
}

static void init_sink(struct stream_ends *ends, enum stream_kind kind)
{
    swathe_sink *sink = &ends->sink;
    bool strips = kind == STREAM_STRIPS || kind == STREAM_RELAY;
    sink->write = kind == STREAM_FORWARD ? write_forward
                  : kind == STREAM_TILED ? write_tiles
                                         : write_view;
    sink->flags = strips || kind == STREAM_FORWARD ? SWATHE_FORWARD : 0;
    if (kind == STREAM_TILED || kind == STREAM_BLOCKS)
        sink->tile_width = sink->tile_height = TILE;
    if (strips)
        sink->tile_height = STRIP;
    if (kind == STREAM_STRIPS)
        ends->parts.context_rows = CONTEXT;
    if (strips || kind == STREAM_BLOCKS) {
        ends->parts.prepare = prepare;
        ends->parts.deliver = deliver;
        sink->parts = &ends->parts;
    }
}

void stream_ends_init(struct stream_ends *ends, enum stream_kind kind, const swathe_image *from,
                      const swathe_shape *result, const swathe_image *to)
{
    memset(ends, 0, sizeof *ends);
    ends->from = from;
    ends->to = *to;
    ends->source.user = ends->sink.user = ends;
    ends->sink.shape = *result;
    ends->sink.shape.width = to->width;
    ends->sink.shape.height = to->height;
    init_source(ends, kind);
    init_sink(ends, kind);
}
