/* In-memory sources and sinks that behave like files and report misuse. */
#ifndef TESTS_STREAM_ENDS_H
#define TESTS_STREAM_ENDS_H

#include "canvas.h"
#include "io/source_sink.h"

/* How a trial streams its image. */
enum stream_kind {
    STREAM_NONE,    /* not at all: in memory */
    STREAM_ANY,     /* random access on both sides */
    STREAM_FORWARD, /* forward on both sides */
    STREAM_TILED,   /* forward source, tiled sink */
    STREAM_STRIPS,  /* a concurrent source; a sink that prepares strips with context */
    STREAM_BLOCKS,  /* a concurrent source; a sink that prepares tiles */
    STREAM_RELAY,   /* forward source; a sink that prepares strips */
    STREAM_KINDS
};

struct stream_ends {
    swathe_source source;
    swathe_sink sink;        /* its user is this struct */
    struct file_parts parts; /* the sink's, if it has two steps */
    const swathe_image *from;
    swathe_image to; /* the region of the result */
    int64_t next_read, next_written, next_column;
};

/* Reads from `from`, the whole source, and writes to `to`, a region of `result`. The caller sets
 * the source's shape. `ends` must not be moved in memory. */
void stream_ends_init(struct stream_ends *ends, enum stream_kind kind, const swathe_image *from,
                      const swathe_shape *result, const swathe_image *to);

#endif
