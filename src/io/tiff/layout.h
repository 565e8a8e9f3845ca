/* How a page of a TIFF that is written is divided into blocks. */
#ifndef SWATHE_IO_TIFF_LAYOUT_H
#define SWATHE_IO_TIFF_LAYOUT_H

#include "io/tiff/tags.h"

/* Many readers of classic files fail beyond 2 GiB, and compression can enlarge data. */
#define CLASSIC_BYTES ((int64_t)1 << 31)

/* Fills everything in `page` except the compression and `big`. `bytes` are those of a block. */
swathe_status tiff_layout_choose(const struct image_writer *writer, struct tiff_page *page,
                                 int64_t *bytes);
/* True if this many pages could exceed 32-bit offsets. Tiles at the edge are stored in full. */
bool tiff_layout_needs_big(const struct tiff_page *page, int64_t pages);

#endif
