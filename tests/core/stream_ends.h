/* Sources and sinks over views, as files would be, that complain when they are used wrongly. */
#ifndef TESTS_STREAM_ENDS_H
#define TESTS_STREAM_ENDS_H

#include "canvas.h"

/* How a trial streams. */
enum stream_kind {
    STREAM_NONE,    /* in memory */
    STREAM_ANY,     /* random access on both sides */
    STREAM_FORWARD, /* forward on both sides */
    STREAM_TILED,   /* forward source, tiled sink */
    STREAM_STRIPS,  /* a source for several threads; a sink that prepares strips with context */
    STREAM_BLOCKS,  /* a source for several threads; a sink that prepares tiles */
    STREAM_RELAY,   /* forward source; a sink that prepares strips */
    STREAM_KINDS
};

struct stream_ends {
    swathe_source source;
    swathe_sink sink;
    const swathe_image *from;
    swathe_image to; /* its place is the region of the result */
    int64_t next_read, next_written, next_column;
};

/* Reads from `from`, which is the whole source, and writes to `to`, a region of `result`. The
 * caller fills in the source's shape. The ends must not move. */
void stream_ends_init(struct stream_ends *ends, enum stream_kind kind, const swathe_image *from,
                      const swathe_shape *result, const swathe_image *to);

#endif
