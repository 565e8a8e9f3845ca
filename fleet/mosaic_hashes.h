/* Checksums of the samples of every tile that a job writes. */
#ifndef FLEET_MOSAIC_HASHES_H
#define FLEET_MOSAIC_HASHES_H

#include "worker_hash.h"

struct tile_hashes {
    int64_t width, height; /* of a tile */
    int64_t across, count;
    char (*texts)[HASH_TEXT]; /* one for each tile, row by row */
};

/* `sink` takes the tiles. Free `own` with tile_hashes_free. */
swathe_status tile_hashes_start(struct tile_hashes *own, const swathe_sink *sink);
/* For swathe_tiff_part; `own` is a struct tile_hashes. */
swathe_status tile_hashes_see(void *own, const swathe_image *tile);
/* The SHA-256 of the tiles' SHA-256 in hexadecimal, in order. */
swathe_status tile_hashes_finish(const struct tile_hashes *own, char text[HASH_TEXT]);
void tile_hashes_free(struct tile_hashes *own);

#endif
