#include "io/codec.h"

#include "base/checked.h"
#include "image/view.h"

#include <string.h>

/* Sets a view of rows in the buffer. */
static swathe_status held_rows(const struct segments *segments, const struct image_writer *writer,
                               int64_t first, int64_t last, swathe_image *view)
{
    swathe_shape shape = writer->shape;
    shape.height = last - segments->first;
    TRY(view_init(&shape, SWATHE_INTERLEAVED, segments->rows, view));
    view->y = segments->first;
    view->full_height = writer->shape.height;
    swathe_rect rect = {0, first, shape.width, last - first};
    return view_crop(view, &rect, view);
}

static swathe_status segments_put(struct image_writer *writer, const swathe_image *view,
                                  int64_t above)
{
    void *prepared;
    TRY(writer->prepare(writer, view, above, &prepared));
    return writer->deliver(writer, prepared);
}

static swathe_status put_held(const struct segments *segments, struct image_writer *writer,
                              int64_t start)
{
    swathe_image view;
    TRY(held_rows(segments, writer, segments->first, segments->next, &view));
    return segments_put(writer, &view, start - segments->first);
}

/* Keeps the last rows as context for the next segment. */
static void keep_context(struct segments *segments, const struct image_writer *writer)
{
    const swathe_shape *shape = &writer->shape;
    int64_t row = shape->width * shape->channels * sample_size(shape->type);
    int64_t first = max64(segments->first, segments->next - writer->context_rows);
    memmove(segments->rows, segments->rows + (first - segments->first) * row,
            (size_t)((segments->next - first) * row));
    segments->first = first;
}

/* Appends rows of one segment, which ends before row `end`, to the buffer. */
static swathe_status segments_hold(struct segments *segments, struct image_writer *writer,
                                   const swathe_image *from, int64_t start, int64_t end)
{
    const swathe_shape *shape = &writer->shape;
    swathe_image to;
    if (!segments->rows)
        TRY(memory_new_raw(writer->memory, writer->context_rows + writer->tile_height,
                           shape->width * shape->channels * sample_size(shape->type),
                           "rows of a segment", &segments->rows));
    TRY(held_rows(segments, writer, from->y, from->y + from->height, &to));
    view_copy(from, &to);
    segments->next = from->y + from->height;
    if (segments->next == end) {
        TRY(put_held(segments, writer, start));
        keep_context(segments, writer);
    }
    return SWATHE_OK;
}

swathe_status segments_write(struct segments *segments, struct image_writer *writer,
                             const swathe_image *from)
{
    const swathe_shape *shape = &writer->shape;
    int64_t count;
    for (int64_t y = from->y; y < from->y + from->height; y += count) {
        swathe_image part;
        int64_t start = y - y % writer->tile_height;
        int64_t end = min64(start + writer->tile_height, shape->height);
        count = min64(end, from->y + from->height) - y;
        TRY(view_crop(from, &(swathe_rect){0, y, shape->width, count}, &part));
        /* A whole segment without context rows need not be copied. */
        if (count == end - start && writer->context_rows == 0) {
            TRY(segments_put(writer, &part, 0));
            segments->first = end;
        } else {
            TRY(segments_hold(segments, writer, &part, start, end));
        }
    }
    return SWATHE_OK;
}

void segments_free(struct segments *segments, const struct memory *memory)
{
    memory_free(memory, segments->rows);
}
