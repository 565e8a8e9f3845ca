/* What the public handles of sources and sinks contain. */
#ifndef SWATHE_IO_SOURCE_SINK_H
#define SWATHE_IO_SOURCE_SINK_H

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>

/* A source or a sink of a file is part of the file's own struct, which `destroy` frees; `memory` is
 * then NULL. That of a caller's functions is an allocation of its own. */
struct swathe_source {
    const struct memory *memory;
    void *user;
    swathe_shape shape;
    uint32_t flags;
    int64_t tile_width, tile_height;
    const swathe_metadata *metadata;
    const char *format;
    int64_t pages, held_bytes;
    swathe_status (*read)(void *user, const swathe_image *into);
    void (*destroy)(void *user);
};

/* Two steps that runs use instead of `write`, so that several threads can encode. */
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

struct swathe_sink {
    const struct memory *memory;
    void *user;
    swathe_shape shape;
    uint32_t flags;
    int64_t tile_width, tile_height;
    const char *format;
    const struct file_parts *parts; /* NULL: only `write` */
    swathe_status (*write)(void *user, const swathe_image *from);
    swathe_status (*commit)(void *user);
    void (*destroy)(void *user);
    swathe_status (*next_page)(void *user, const swathe_shape *shape,
                               const swathe_metadata *metadata, swathe_sink_info *info);
};

static inline swathe_sink_info sink_info(const struct swathe_sink *sink)
{
    return (swathe_sink_info){.struct_size = sizeof(swathe_sink_info),
                              .shape = sink->shape,
                              .tile_width = sink->tile_width,
                              .tile_height = sink->tile_height,
                              .format = sink->format,
                              .flags = sink->flags};
}

static inline void sink_take_info(struct swathe_sink *sink, const swathe_sink_info *info)
{
    sink->shape = info->shape;
    sink->tile_width = info->tile_width;
    sink->tile_height = info->tile_height;
    sink->format = info->format;
    sink->flags = (uint32_t)info->flags;
}

#endif
