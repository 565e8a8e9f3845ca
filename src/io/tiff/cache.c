#include "io/tiff/decoder.h"

#include "base/checked.h"

enum { WAYS = 4 };

swathe_status tiff_cache_open(struct tiff_cache *cache, const struct memory *memory, int64_t count,
                              int64_t bytes, int64_t kept)
{
    int64_t each = size_add(bytes, sizeof(struct tiff_place));
    int64_t places = min64(count, max64(kept / each, 1));
    *cache = (struct tiff_cache){.memory = memory, .bytes = bytes};
    cache->ways = min64(places, WAYS);
    cache->sets = places / cache->ways;
    places = cache->sets * cache->ways;
    pthread_mutex_init(&cache->mutex, NULL);
    pthread_cond_init(&cache->changed, NULL);
    return memory_new(memory, places, sizeof *cache->places, "TIFF blocks", &cache->places);
}

swathe_status tiff_cache_ready(struct tiff_cache *cache)
{
    swathe_status status = SWATHE_OK;
    pthread_mutex_lock(&cache->mutex);
    if (!cache->samples)
        status = memory_new_raw(cache->memory, cache->sets * cache->ways, cache->bytes,
                                "TIFF blocks", &cache->samples);
    pthread_mutex_unlock(&cache->mutex);
    return status;
}

void tiff_cache_close(struct tiff_cache *cache)
{
    if (!cache->memory)
        return;
    pthread_cond_destroy(&cache->changed);
    pthread_mutex_destroy(&cache->mutex);
    memory_free(cache->memory, cache->samples);
    memory_free(cache->memory, cache->places);
}

/* The block's place, or the least recently used one that no thread holds. */
static struct tiff_place *tiff_cache_find(const struct tiff_cache *cache, int64_t block)
{
    struct tiff_place *first = &cache->places[block % cache->sets * cache->ways], *oldest = NULL;
    for (struct tiff_place *place = first; place < first + cache->ways; place++) {
        if (place->block == block + 1)
            return place;
        if (place->users == 0 && (!oldest || place->date < oldest->date))
            oldest = place;
    }
    return oldest;
}

struct tiff_place *tiff_cache_take(struct tiff_cache *cache, int64_t block, bool *filled)
{
    struct tiff_place *place;
    pthread_mutex_lock(&cache->mutex);
    /* Another thread is filling it. If that fails, the place is free again. */
    while ((place = tiff_cache_find(cache, block)) && place->block == block + 1 && !place->filled)
        pthread_cond_wait(&cache->changed, &cache->mutex);
    if (place) {
        if (place->block != block + 1)
            *place = (struct tiff_place){.block = block + 1};
        place->users++;
        place->date = ++cache->now;
        *filled = place->filled;
    }
    pthread_mutex_unlock(&cache->mutex);
    return place;
}

bool tiff_cache_holds(struct tiff_cache *cache, int64_t block)
{
    bool held = false;
    pthread_mutex_lock(&cache->mutex);
    const struct tiff_place *set = cache->places + block % cache->sets * cache->ways;
    for (int64_t i = 0; i < cache->ways; i++)
        held = held || (set[i].block == block + 1 && set[i].filled);
    pthread_mutex_unlock(&cache->mutex);
    return held;
}

uint8_t *tiff_cache_samples(const struct tiff_cache *cache, const struct tiff_place *place)
{
    return cache->samples + (place - cache->places) * cache->bytes;
}

void tiff_cache_give(struct tiff_cache *cache, struct tiff_place *place, bool filled)
{
    pthread_mutex_lock(&cache->mutex);
    if (!filled)
        place->block = 0;
    if (!filled || !place->filled)
        pthread_cond_broadcast(&cache->changed);
    place->filled = filled;
    place->users--;
    pthread_mutex_unlock(&cache->mutex);
}
