/* A cache of decoded blocks of a TIFF file, so that overlapping or adjacent parts do not decode a
 * block again. For any number of threads. */
#ifndef SWATHE_IO_TIFF_CACHE_H
#define SWATHE_IO_TIFF_CACHE_H

#include "base/memory.h"

#include <pthread.h>
#include <stdbool.h>

struct tiff_place {
    int64_t block; /* 1 + its number; 0: free */
    int64_t date;  /* value of `now` at its last use */
    int64_t users; /* number of threads that hold it */
    bool filled;
};

struct tiff_cache {
    const struct memory *memory; /* NULL: not open */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int64_t bytes; /* of a block */
    /* `sets` times `ways` places; block i may be stored in set i % sets. */
    int64_t sets, ways, now;
    struct tiff_place *places;
    uint8_t *samples; /* NULL: no block was requested yet */
};

/* Opens a cache of at most `count` blocks of `bytes`, in `kept` bytes; it holds at least one
 * block. */
swathe_status tiff_cache_open(struct tiff_cache *cache, const struct memory *memory, int64_t count,
                              int64_t bytes, int64_t kept);
/* Allocates the cache, before the first tiff_cache_take: a file of omitted blocks needs no
 * memory. */
swathe_status tiff_cache_ready(struct tiff_cache *cache);
void tiff_cache_close(struct tiff_cache *cache);

/* True if the cache contains the block now. Another thread may replace it at any time. */
bool tiff_cache_holds(struct tiff_cache *cache, int64_t block);
/* A place for the block, which the caller holds until tiff_cache_give. If it is `filled`, it
 * contains the samples. Otherwise the caller must fill it, and must not wait for other threads
 * meanwhile, because they may wait for it. NULL: all places of its set are in use. */
struct tiff_place *tiff_cache_take(struct tiff_cache *cache, int64_t block, bool *filled);
uint8_t *tiff_cache_samples(const struct tiff_cache *cache, const struct tiff_place *place);
/* `filled`: the place now contains the samples. */
void tiff_cache_give(struct tiff_cache *cache, struct tiff_place *place, bool filled);

#endif
