/* A sink that computes a checksum of the samples of every tile that passes through it. */
#ifndef FLEET_MOSAIC_SINK_H
#define FLEET_MOSAIC_SINK_H

#include "worker_hash.h"

struct tile_hashes {
    const swathe_sink *inner;
    int64_t across, count;
    char (*texts)[HASH_TEXT]; /* one for each tile, row by row */
};

/* Makes a sink that passes whole tiles to `inner`. Free `own` with tile_hashes_free. */
swathe_status tile_hashes_start(struct tile_hashes *own, const swathe_sink *inner,
                                swathe_sink *sink);
/* The SHA-256 of the tiles' SHA-256 in hexadecimal, in order. */
swathe_status tile_hashes_finish(const struct tile_hashes *own, char text[HASH_TEXT]);
void tile_hashes_free(struct tile_hashes *own);

#endif
