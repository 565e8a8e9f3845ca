#include "io/tiff/encoder.h"

#include "base/checked.h"

#include <inttypes.h>

/* Limits for the data of all tiles. Classic files leave 2^28 of 2^32 bytes for tags: 2^31 bytes of
 * samples have less than 2^23 tiles, with 8 bytes each. */
#define MOST_CLASSIC (2 * CLASSIC_BYTES - ((int64_t)1 << 28))
#define MOST_BIG     ((int64_t)1 << 62)

swathe_status tiff_range_check(const swathe_tiff_part *part)
{
    if (part->struct_size < sizeof *part)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "tiff_part: struct_size is %zu; initialise it with SWATHE_INIT",
                    part->struct_size);
    if (part->count < 0 || part->first < 0 || (part->count == 0 && part->first != 0))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "tiff_part: %" PRId64 " tiles from number %" PRId64
                    "; neither can be negative, and both are 0 for the file without its tiles",
                    part->count, part->first);
    if (part->count > 0 && !part->sizes)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "tiff_part: sizes is NULL; it must have space for the sizes of %" PRId64
                    " tiles",
                    part->count);
    return SWATHE_OK;
}

/* The rectangle of the range in tiles, if it is one. */
static swathe_status find_rectangle(const swathe_tiff_part *part, const struct tile_order *order,
                                    swathe_rect *tiles)
{
    int64_t all = order->across * order->down, x, y;
    if (part->count > all || part->first > all - part->count)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "tiff_part: %" PRId64 " tiles from number %" PRId64 "; the image has %" PRId64,
                    part->count, part->first, all);
    tile_order_place(order, part->first, &x, &y);
    int64_t left = x - x % order->column, width = min64(order->column, order->across - left);
    int64_t rows = part->count / width;
    if (x == left && part->count % width == 0 && rows <= order->down - y)
        *tiles = (swathe_rect){x, y, width, rows};
    else if (part->count <= left + width - x)
        *tiles = (swathe_rect){x, y, part->count, 1};
    else
        return fail(SWATHE_ERROR_ARGUMENT,
                    "tiff_part: %" PRId64 " tiles from number %" PRId64
                    " are not a rectangle; give whole rows of one column, here of %" PRId64
                    " tiles, or tiles of one row",
                    part->count, part->first, width);
    return SWATHE_OK;
}

static swathe_rect in_pixels(const struct tiff_page *page, const swathe_rect *tiles)
{
    int64_t x = tiles->x * page->width, y = tiles->y * page->rows;
    return (swathe_rect){x, y, min64(tiles->width * page->width, page->shape.width - x),
                         min64(tiles->height * page->rows, page->shape.height - y)};
}

swathe_status tiff_range_choose(swathe_tiff_part *part, const struct tiff_page *page,
                                struct tile_order *order)
{
    swathe_rect tiles = {0};
    struct tile_order all = *order;
    if (!page->tiled)
        return fail_about(SWATHE_ERROR_ARGUMENT, "tile",
                          "tiff_part requires tiles, the image would be written in strips; give "
                          "the edge of tiles");
    if (part->count > 0) {
        TRY(find_rectangle(part, order, &tiles));
        *order = (struct tile_order){tiles.width, tiles.height, tiles.width};
    }
    part->tiles = all.across * all.down;
    part->tile_rows = all.down;
    part->column_tiles = all.column;
    part->planes = page->planar ? page->shape.channels : 1;
    part->region = part->count > 0 ? in_pixels(page, &tiles) : tiles;
    return SWATHE_OK;
}

swathe_status tiff_range_sum(const struct tiff_index *index, bool big, int64_t *sum)
{
    int64_t most = big ? MOST_BIG : MOST_CLASSIC, all = 0;
    if (!index->sizes)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "cannot be committed: tiff_part has neither tiles nor the sizes of all tiles");
    for (int64_t i = 0; i < index->count; i++) {
        if (index->sizes[i] <= 0 || index->sizes[i] > most - all)
            return fail(SWATHE_ERROR_ARGUMENT,
                        "tiff_part: sizes[%" PRId64 "] is %" PRId64
                        "; sizes are at least 1, and the sum of all is at most %" PRId64,
                        i, index->sizes[i], most);
        all += index->sizes[i];
    }
    *sum = all;
    return SWATHE_OK;
}
