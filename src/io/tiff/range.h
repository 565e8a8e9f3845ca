/* Files that several sinks write: a range of the tiles, or everything that is not tile data. */
#ifndef SWATHE_IO_TIFF_RANGE_H
#define SWATHE_IO_TIFF_RANGE_H

#include "io/tiff/index.h"
#include "io/tiff/tags.h"

/* Checks the caller's struct as far as this is possible before the tiles are known. */
swathe_status tiff_range_check(const swathe_tiff_part *part);
/* Checks the range, and tells the caller about the tiles. `order` is that of all tiles of the file,
 * and becomes that of the range; it does not change if the range is empty. */
swathe_status tiff_range_choose(swathe_tiff_part *part, const struct tiff_page *page,
                                struct tile_order *order);
/* The sum of the sizes that the caller gives for all blocks of the file. */
swathe_status tiff_range_sum(const struct tiff_index *index, bool big, int64_t *sum);

#endif
