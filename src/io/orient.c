#include "io/orient.h"

#include "base/checked.h"
#include "image/view.h"
#include "io/metadata/metadata.h"

#include <string.h>

/* Rows that are decoded and rotated together. Each column becomes a run of this many pixels, and
 * the cache lines of one column stay in the L1 cache for the next. */
enum { ROWS = 64 };

/* ---- Which way ------------------------------------------------------------------------------ */

/* EXIF's number specifies the sides where the first stored row and column are displayed: 2 top and
 * right, 3 bottom and right, 4 bottom and left; 5 left and top, 6 right and top, 7 right and
 * bottom, 8 left and bottom. */
static bool rows_become_columns(int how)
{
    return how >= 5;
}

static bool from_right(int how)
{
    return how == 2 || how == 3 || how == 6 || how == 7;
}

static bool from_bottom(int how)
{
    return how == 3 || how == 4 || how == 7 || how == 8;
}

static void orient_swap(int64_t *a, int64_t *b)
{
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* A view of the same samples, addressed by their stored coordinates. */
static swathe_image stored_view(const struct orient *orient, const swathe_image *upright)
{
    swathe_image view = *upright;
    view.full_width = orient->shape.width;
    view.full_height = orient->shape.height;
    if (from_right(orient->how)) {
        view.data = (char *)view.data + (view.width - 1) * view.pixel_stride;
        view.pixel_stride = -view.pixel_stride;
        view.x = orient->shape.width - view.x - view.width;
    }
    if (from_bottom(orient->how)) {
        view.data = (char *)view.data + (view.height - 1) * view.row_stride;
        view.row_stride = -view.row_stride;
        view.y = orient->shape.height - view.y - view.height;
    }
    if (rows_become_columns(orient->how)) {
        orient_swap(&view.x, &view.y);
        orient_swap(&view.width, &view.height);
        orient_swap(&view.full_width, &view.full_height);
        orient_swap(&view.pixel_stride, &view.row_stride);
    }
    return view;
}

/* ---- Starting ------------------------------------------------------------------------------- */

/* True if the stored part for any upright part can be read efficiently. A mirrored row needs only
 * itself. */
static bool reads_parts(const struct image_reader *reader, int how)
{
    bool strips = reader->tile_width >= reader->shape.width;
    if (how <= 2)
        return true;
    return !(reader->flags & SWATHE_FORWARD) && !(rows_become_columns(how) && strips);
}

static void turn_shape(struct orient *orient, swathe_metadata *metadata)
{
    double x_resolution = metadata->x_resolution;
    orient_swap(&orient->shape.width, &orient->shape.height);
    orient_swap(&orient->tile_width, &orient->tile_height);
    metadata->x_resolution = metadata->y_resolution;
    metadata->y_resolution = x_resolution;
}

swathe_status orient_start(struct orient *orient, struct image_reader *reader, bool wanted)
{
    *orient = (struct orient){
        1, reader->shape, reader->flags, reader->tile_width, reader->tile_height, false, NULL};
    if (wanted)
        orient->how = exif_orientation(&reader->metadata);
    if (orient->how == 1)
        return SWATHE_OK;
    orient->whole = !reads_parts(reader, orient->how);
    if (orient->whole) {
        swathe_status status = limits_check_whole(&reader->limits, &reader->shape);
        if (status != SWATHE_OK)
            return fail_within(status, "to rotate it upright: ");
        orient->flags = 0; /* the first read loads the image, so one thread at a time */
        orient->tile_width = orient->tile_height = 0;
    }
    /* Tie points and matrices refer to the stored orientation. */
    metadata_drop_block(reader->memory, &reader->metadata, METADATA_GEO);
    if (rows_become_columns(orient->how))
        turn_shape(orient, &reader->metadata);
    exif_set_upright(&reader->metadata, rows_become_columns(orient->how));
    return SWATHE_OK;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Copies `count` pixels with the given strides in bytes. */
static inline void copy_run(const uint8_t *from, int64_t from_stride, uint8_t *to,
                            int64_t to_stride, int64_t count, size_t bytes)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * to_stride, from + i * from_stride, bytes);
}

/* With a constant size each copy compiles to one or two moves. */
static void copy_pixels(const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride,
                        int64_t count, int64_t bytes)
{
    if (bytes == 1)
        copy_run(from, from_stride, to, to_stride, count, 1);
    else if (bytes == 2)
        copy_run(from, from_stride, to, to_stride, count, 2);
    else if (bytes == 3)
        copy_run(from, from_stride, to, to_stride, count, 3);
    else if (bytes == 4)
        copy_run(from, from_stride, to, to_stride, count, 4);
    else if (bytes == 6)
        copy_run(from, from_stride, to, to_stride, count, 6);
    else
        copy_run(from, from_stride, to, to_stride, count, (size_t)bytes);
}

/* Copies dense stored rows into columns of the upright image. */
static void orient_turn(const swathe_image *rows, const swathe_image *stored)
{
    for (int64_t x = 0; x < rows->width; x++)
        copy_pixels(view_at(rows, x, rows->y, 0), rows->row_stride, view_at(stored, x, rows->y, 0),
                    stored->row_stride, rows->height, rows->pixel_stride);
}

static swathe_status load_turned(struct image_reader *reader, const swathe_image *stored,
                                 uint8_t *strip)
{
    for (int64_t y = 0, count; y < reader->shape.height; y += count) {
        swathe_shape shape = reader->shape;
        swathe_image rows;
        count = shape.height = min64(ROWS, shape.height - y);
        TRY(view_init(&shape, SWATHE_INTERLEAVED, strip, &rows));
        rows.y = y;
        rows.full_height = reader->shape.height;
        TRY(reader->read(reader, &rows));
        orient_turn(&rows, stored);
    }
    return SWATHE_OK;
}

static swathe_status orient_load(struct orient *orient, struct image_reader *reader)
{
    const swathe_shape *shape = &reader->shape;
    int64_t row = shape->width * shape->channels * sample_size(shape->type);
    swathe_image upright, stored;
    uint8_t *strip;
    TRY(memory_new_raw(reader->memory, shape->height, row, "the upright image", &orient->pixels));
    TRY(view_init(&orient->shape, SWATHE_INTERLEAVED, orient->pixels, &upright));
    stored = stored_view(orient, &upright);
    if (!rows_become_columns(orient->how))
        return reader->read(reader, &stored);
    TRY(memory_new_raw(reader->memory, ROWS, row, "rows to rotate", &strip));
    swathe_status status = load_turned(reader, &stored, strip);
    memory_free(reader->memory, strip);
    return status;
}

swathe_status orient_read(struct orient *orient, struct image_reader *reader,
                          const swathe_image *into)
{
    if (orient->how == 1)
        return reader->read(reader, into);
    if (!orient->whole) {
        swathe_image stored = stored_view(orient, into);
        return reader->read(reader, &stored);
    }
    swathe_image upright;
    if (!orient->pixels)
        TRY(orient_load(orient, reader));
    TRY(view_init(&orient->shape, SWATHE_INTERLEAVED, orient->pixels, &upright));
    view_copy(&upright, into);
    return SWATHE_OK;
}

int64_t orient_bytes(const struct orient *orient)
{
    const swathe_shape *shape = &orient->shape;
    /* Checked against the limits before, so it cannot overflow. */
    return orient->whole ? shape->width * shape->height * shape->channels * sample_size(shape->type)
                         : 0;
}

void orient_stop(struct orient *orient, const struct memory *memory)
{
    memory_free(memory, orient->pixels);
    orient->pixels = NULL;
}
