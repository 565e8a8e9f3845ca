/* Sinks and writers that compute checksums of what passes through them. */
#ifndef FLEET_WORKER_SINK_H
#define FLEET_WORKER_SINK_H

#include "worker/hash.h"

/* Passes full-width rows from top to bottom to `inner`, if there is one. */
struct sample_sink {
    struct worker_hash *hash;
    swathe_sink *inner; /* NULL: rows are only hashed */
    int64_t next_row;
};

/* Makes a sink for rows of this shape, whose functions use `own`. */
swathe_status sample_sink_make(swathe_context *context, struct sample_sink *own,
                               struct worker_hash *hash, const swathe_shape *shape,
                               swathe_sink *inner, swathe_sink **sink);

/* Passes bytes to `inner`, if it has a `write`. */
struct byte_writer {
    struct worker_hash *hash;
    swathe_writer inner;
    int64_t size;
};

swathe_writer byte_writer_make(struct byte_writer *own, struct worker_hash *hash, const char *name);

#endif
