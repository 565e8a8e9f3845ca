#include "mosaic_hashes.h"

#include "fleet_fail.h"

#include <stdlib.h>

/* The checksum of one tile, as of an image with its pixels. */
static swathe_status hash_tile(struct worker_hash *hash, const swathe_image *tile,
                               char text[HASH_TEXT])
{
    swathe_shape shape = {.width = tile->width,
                          .height = tile->height,
                          .channels = tile->channels,
                          .type = tile->type};
    TRY(worker_hash_image(hash, &shape));
    TRY(worker_hash_rows(hash, tile));
    return worker_hash_finish(hash, text);
}

/* Several threads call it, each with other tiles. */
swathe_status tile_hashes_see(void *user, const swathe_image *tile)
{
    const struct tile_hashes *own = user;
    int64_t number = tile->y / own->height * own->across + tile->x / own->width;
    struct worker_hash *hash;
    if (number < 0 || number >= own->count)
        return fleet_fail(SWATHE_ERROR_INTERNAL, "a tile outside the region");
    TRY(worker_hash_create(&hash));
    swathe_status status = hash_tile(hash, tile, own->texts[number]);
    worker_hash_destroy(hash);
    return status;
}

swathe_status tile_hashes_start(struct tile_hashes *own, const swathe_sink *sink)
{
    *own = (struct tile_hashes){.width = sink->tile_width, .height = sink->tile_height};
    own->across = (sink->shape.width + own->width - 1) / own->width;
    own->count = own->across * ((sink->shape.height + own->height - 1) / own->height);
    return fleet_allocate((size_t)own->count, sizeof *own->texts, &own->texts);
}

swathe_status tile_hashes_finish(const struct tile_hashes *own, char text[HASH_TEXT])
{
    struct worker_hash *hash;
    swathe_status status = SWATHE_OK;
    TRY(worker_hash_create(&hash));
    for (int64_t i = 0; status == SWATHE_OK && i < own->count; i++)
        status = worker_hash_add(hash, own->texts[i], HASH_TEXT - 1);
    if (status == SWATHE_OK)
        status = worker_hash_finish(hash, text);
    worker_hash_destroy(hash);
    return status;
}

void tile_hashes_free(struct tile_hashes *own)
{
    free(own->texts);
}
