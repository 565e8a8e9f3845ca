/* Decoded blocks of a TIFF file, the latest of them kept, so that parts that overlap or touch do
 * not decode a block again. Any number of threads. */
#ifndef SWATHE_IO_TIFF_CACHE_H
#define SWATHE_IO_TIFF_CACHE_H

#include "base/memory.h"

#include <pthread.h>
#include <stdbool.h>

struct tiff_place {
    int64_t block; /* 1 + its number; 0: free */
    int64_t date;  /* of last use */
    int64_t users; /* that hold it now */
    bool filled;
};

struct tiff_cache {
    const struct memory *memory; /* NULL: not open */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int64_t bytes; /* of a block */
    /* `sets` times `ways` places; block i may stand in those of set i % sets. */
    int64_t sets, ways, now;
    struct tiff_place *places;
    uint8_t *samples; /* NULL: no block was wanted yet */
};

/* For at most `count` blocks of `bytes` in `kept` bytes; always one at least. */
swathe_status tiff_cache_open(struct tiff_cache *cache, const struct memory *memory, int64_t count,
                              int64_t bytes, int64_t kept);
/* Before the first tiff_cache_take: a file of left out blocks takes no memory. */
swathe_status tiff_cache_ready(struct tiff_cache *cache);
void tiff_cache_close(struct tiff_cache *cache);

/* Are the block's samples there now? They may be gone a moment later. */
bool tiff_cache_holds(struct tiff_cache *cache, int64_t block);
/* A place for the block that is the caller's to hold, until tiff_cache_give. Where it is `filled`
 * its samples are there; else the caller is to fill it, and others wait for that: in between it
 * must wait for nobody. NULL: all places of its set are in use. */
struct tiff_place *tiff_cache_take(struct tiff_cache *cache, int64_t block, bool *filled);
uint8_t *tiff_cache_samples(const struct tiff_cache *cache, const struct tiff_place *place);
/* `filled`: its samples are there now. */
void tiff_cache_give(struct tiff_cache *cache, struct tiff_place *place, bool filled);

#endif
