#include "mosaic_sink.h"

#include "fleet_fail.h"

#include <stdlib.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

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

static swathe_status hash_tiles(const struct tile_hashes *own, struct worker_hash *hash,
                                const swathe_image *from)
{
    int64_t width = own->inner->tile_width, height = own->inner->tile_height;
    for (int64_t y = 0; y < from->height; y += height)
        for (int64_t x = 0; x < from->width; x += width) {
            swathe_image tile = *from;
            int64_t number = (from->y + y) / height * own->across + (from->x + x) / width;
            tile.data = (char *)from->data + y * from->row_stride + x * from->pixel_stride;
            tile.width = least(width, from->width - x);
            tile.height = least(height, from->height - y);
            if (number < 0 || number >= own->count)
                return fleet_fail(SWATHE_ERROR_INTERNAL, "a tile outside the region");
            TRY(hash_tile(hash, &tile, own->texts[number]));
        }
    return SWATHE_OK;
}

/* Several threads may call it, each with other tiles. */
static swathe_status write_tiles(void *user, const swathe_image *from)
{
    const struct tile_hashes *own = user;
    struct worker_hash *hash;
    TRY(worker_hash_create(&hash));
    swathe_status status = hash_tiles(own, hash, from);
    worker_hash_destroy(hash);
    return status == SWATHE_OK ? own->inner->write(own->inner->user, from) : status;
}

swathe_status tile_hashes_start(struct tile_hashes *own, const swathe_sink *inner,
                                swathe_sink *sink)
{
    int64_t width = inner->tile_width, height = inner->tile_height;
    int64_t across = (inner->shape.width + width - 1) / width;
    *own = (struct tile_hashes){.inner = inner, .across = across};
    own->count = across * ((inner->shape.height + height - 1) / height);
    TRY(fleet_allocate((size_t)own->count, sizeof *own->texts, &own->texts));
    *sink = *inner;
    sink->user = own;
    sink->write = write_tiles;
    sink->commit = NULL;
    sink->destroy = NULL;
    sink->next_page = NULL;
    return SWATHE_OK;
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
