#include "io/tiff/encoder.h"

#include "base/checked.h"
#include "image/sample.h"

#include <inttypes.h>

enum { TILE_STRIPS = -1, TILE_USUAL = 256, TILE_STEP = 16, STRIP_BYTES = 1 << 18 };
/* With more tiles, the default edge is doubled: a reader needs all offsets and sizes. */
enum { TILES_MOST = 1 << 20 };
/* Larger tiles of a source are not kept, because they make reading parts slow. */
#define TILE_KEPT_BYTES ((int64_t)1 << 24)
/* Larger images are tiled by default, because they are usually read in parts. */
#define STRIPED_PIXELS ((int64_t)1 << 26)
#define STRIPED_WIDTH  ((int64_t)1 << 15)

/* Sides are less than 2^32. */
static bool too_many(const swathe_shape *shape, int64_t width, int64_t height)
{
    return ceil_div(shape->width, width) * ceil_div(shape->height, height) > TILES_MOST;
}

/* Chooses the source's tiles, but no larger than the result needs. */
static void keep_tile(const swathe_encoding *from, const swathe_shape *shape, int64_t *width,
                      int64_t *height)
{
    int64_t columns = min64(from->tile_width, round_up(shape->width, TILE_STEP)), bytes;
    int64_t rows = min64(from->tile_height, round_up(shape->height, TILE_STEP));
    if (columns <= 0 || columns % TILE_STEP != 0 || rows <= 0 || rows % TILE_STEP != 0 ||
        !checked_mul3(columns, rows, (int64_t)shape->channels * sample_size(shape->type), &bytes) ||
        bytes > TILE_KEPT_BYTES || too_many(shape, columns, rows))
        return;
    *width = columns;
    *height = rows;
}

/* The default edge of tiles. */
static int64_t usual_tile(const swathe_shape *shape)
{
    int64_t edge = TILE_USUAL;
    while (too_many(shape, edge, edge))
        edge *= 2;
    return edge;
}

/* Chooses the size of tiles: as requested, or as in the source; otherwise strips (0) unless the
 * image is large. */
static swathe_status choose_tile(const struct image_writer *writer, int64_t *width, int64_t *height)
{
    const swathe_shape *shape = &writer->shape;
    const swathe_encoding *from = writer->encoding;
    int64_t tile = writer->options->tile;
    if (tile < TILE_STRIPS || (tile > 0 && tile % TILE_STEP != 0))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "tiles of %" PRId64 " pixels; TIFF requires a multiple of %d", tile, TILE_STEP);
    if (tile > UINT32_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "tiles of %" PRId64 " pixels; a side of a TIFF tile is less than 2^32", tile);
    if (shape->width > UINT32_MAX - TILE_USUAL || shape->height > UINT32_MAX - TILE_USUAL)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%" PRId64 " x %" PRId64 " pixels; a side of a TIFF is less than 2^32",
                    shape->width, shape->height);
    int64_t pixels = shape->width * shape->height > 0 ? shape->width * shape->height : INT64_MAX;
    bool large = pixels > STRIPED_PIXELS || shape->width > STRIPED_WIDTH;
    *width = *height = tile > 0 ? tile : 0;
    if (tile == 0 && large) { /* padding an image of one row to 256 takes 256 times as long */
        *width = min64(usual_tile(shape), round_up(shape->width, TILE_STEP));
        *height = min64(usual_tile(shape), round_up(shape->height, TILE_STEP));
    }
    if (tile == 0)
        keep_tile(from, shape, width, height);
    return SWATHE_OK;
}

/* Chooses strips of about STRIP_BYTES, or tiles, of all channels or of one. Larger strips did not
 * reduce the file (by 0.4 % at best) and did not decompress faster. */
swathe_status tiff_layout_choose(const struct image_writer *writer, struct tiff_page *page,
                                 int64_t *bytes)
{
    const swathe_shape *shape = &writer->shape;
    int64_t width, height, blocks;
    TRY(choose_tile(writer, &width, &height));
    page->shape = *shape;
    page->planar = writer->encoding->planar && shape->channels > 1;
    int64_t planes = page->planar ? shape->channels : 1;
    int64_t pixel = shape->channels / planes * sample_size(shape->type);
    page->tiled = width > 0;
    page->width = width ? width : shape->width;
    page->rows =
        width ? height : max64(1, min64(shape->height, STRIP_BYTES / (shape->width * pixel)));
    if (!checked_mul3(page->width, page->rows, pixel, bytes))
        return fail(SWATHE_ERROR_ARGUMENT, "tiles of %" PRId64 " pixels are too large", width);
    if (!checked_mul3(ceil_div(shape->width, page->width), ceil_div(shape->height, page->rows),
                      planes, &blocks) ||
        blocks > UINT32_MAX)
        return fail_about(SWATHE_ERROR_UNSUPPORTED, "tile",
                          "the TIFF would have more than 2^32 tiles or strips; choose larger ones");
    return SWATHE_OK;
}

bool tiff_layout_needs_big(const struct tiff_page *page, int64_t pages)
{
    const swathe_shape *shape = &page->shape;
    int64_t pixel = (int64_t)shape->channels * sample_size(shape->type), bytes = 0;
    int64_t width = ceil_div(shape->width, page->width) * page->width;
    int64_t height = ceil_div(shape->height, page->rows) * page->rows;
    return !checked_mul3(width, height, pixel, &bytes) ||
           size_mul(bytes, max64(pages, 1)) > CLASSIC_BYTES;
}
