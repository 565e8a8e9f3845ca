/* The order in which a file stores its tiles. It depends on the shape, the sample type and the size
 * of tiles alone, so that the bytes of a file do not depend on how they were computed. */
#ifndef SWATHE_IO_TIFF_TILE_ORDER_H
#define SWATHE_IO_TIFF_TILE_ORDER_H

#include <swathe/swathe.h>

/* All in tiles. Tiles are stored column after column, each from top to bottom, and within a column
 * row by row. */
struct tile_order {
    int64_t across, down;
    int64_t column; /* tiles side by side in a column; the last column may have fewer */
};

struct tile_order tile_order(const swathe_shape *shape, int64_t tile_width, int64_t tile_height);

/* The number of the tile at a position, from 0, and the position of a tile. */
int64_t tile_order_number(const struct tile_order *order, int64_t x, int64_t y);
void tile_order_place(const struct tile_order *order, int64_t number, int64_t *x, int64_t *y);

#endif
