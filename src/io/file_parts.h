/* Two steps that runs use instead of a file's `write`, so that several threads can encode. */
#ifndef SWATHE_IO_FILE_PARTS_H
#define SWATHE_IO_FILE_PARTS_H

#include "base/status.h"

#include <stdbool.h>

/* `user` is the sink's. */
struct file_parts {
    int64_t context_rows;  /* at most the sink's tile_height; not 0 only for full rows, forward */
    int64_t scratch_bytes; /* that `prepare` allocates per thread; they count towards the run's
                              limit */
    /* Called on any thread, in any order, with parts of whole tiles, or of multiples of tile_height
     * rows if tile_width is 0. The first `above` rows of `from` repeat the end of the previous
     * part: context_rows of them, or fewer at the top of the image. */
    swathe_status (*prepare)(void *user, const swathe_image *from, int64_t above, void **prepared);
    /* Called with the prepared parts one at a time: rows from top to bottom, tiles in any order. A
     * sink that stores tiles one after another sorts them at the end, unless they arrive in the
     * order of io/tiff/tile_order.h. If not `wanted`, the part is only freed. */
    swathe_status (*deliver)(void *user, void *prepared, bool wanted);
};

/* NULL if the sink is not one of our files, was changed, or supports only `write`. A copy of a
 * file's sink works like the sink itself. */
const struct file_parts *file_parts(const swathe_sink *sink);

#endif
