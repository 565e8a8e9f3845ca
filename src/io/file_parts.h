/* Two steps that runs use in place of a file's write, so that threads share the work of its codec.
 */
#ifndef SWATHE_IO_FILE_PARTS_H
#define SWATHE_IO_FILE_PARTS_H

#include "base/status.h"

#include <stdbool.h>

/* `user` is the sink's. */
struct file_parts {
    int64_t context_rows;  /* at most the sink's tile_height; not 0 only for full rows, forward */
    int64_t scratch_bytes; /* that prepare holds for each thread: the run's limit counts them */
    /* On any thread, in any order: parts of whole tiles, or of whole multiples of tile_height where
     * tile_width is 0. The first `above` rows of `from` repeat the end of the part before it:
     * context_rows of them, or as many as there are. */
    swathe_status (*prepare)(void *user, const swathe_image *from, int64_t above, void **prepared);
    /* What was prepared, one by one, from left to right and from the top; not `wanted`: it is only
     * freed. */
    swathe_status (*deliver)(void *user, void *prepared, bool wanted);
};

/* NULL: the sink is not a file of ours, has been changed, or is only written. Copies of a file's
 * sink are as good as the sink. */
const struct file_parts *file_parts(const swathe_sink *sink);

#endif
