#include "io/tiff/tile_order.h"

#include "base/checked.h"
#include "image/sample.h"

/* A row of tiles of at most this size is kept together: the whole width is one column. */
#define ROW_BYTES ((int64_t)32 << 20)
/* Other columns have this many tiles, or this many pixels if that is wider. A cell with a halo also
 * reads the tiles around it, which are fewer in proportion if the column is wide. */
enum { COLUMN_TILES = 8, COLUMN_PIXELS = 2048 };

struct tile_order tile_order(const swathe_shape *shape, int64_t tile_width, int64_t tile_height)
{
    int64_t pixel = (int64_t)shape->channels * sample_size(shape->type);
    int64_t line = size_mul(tile_height, pixel); /* bytes of one column of pixels in a tile */
    struct tile_order order = {ceil_div(shape->width, tile_width),
                               ceil_div(shape->height, tile_height), 0};
    order.column = order.across;
    if (size_mul(shape->width, line) > ROW_BYTES) {
        int64_t fit = ROW_BYTES / size_mul(tile_width, line);
        int64_t wanted = max64(COLUMN_TILES, COLUMN_PIXELS / tile_width);
        order.column = min64(order.across, max64(1, min64(wanted, fit)));
    }
    return order;
}

int64_t tile_order_number(const struct tile_order *order, int64_t x, int64_t y)
{
    int64_t left = x - x % order->column;
    int64_t width = min64(order->column, order->across - left);
    return left * order->down + y * width + (x - left);
}

void tile_order_place(const struct tile_order *order, int64_t number, int64_t *x, int64_t *y)
{
    int64_t left = number / (order->column * order->down) * order->column;
    int64_t width = min64(order->column, order->across - left);
    int64_t rest = number - left * order->down;
    *x = left + rest % width;
    *y = rest / width;
}
