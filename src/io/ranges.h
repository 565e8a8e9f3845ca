/* A caller's reader: called by one thread at a time unless it allows more, and with the ranges that
 * were read to open a file, which other threads read again. */
#ifndef SWATHE_IO_RANGES_H
#define SWATHE_IO_RANGES_H

#include "base/memory.h"
#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>

enum { RANGES_MAX = 16 };

struct range {
    int64_t at;
    size_t size;
    uint8_t *bytes;
};

struct ranges {
    const struct memory *memory;
    swathe_reader reader;
    pthread_mutex_t mutex; /* of the calls */
    int64_t kept_bytes;
    int count; /* of ranges that are kept; none is added once other threads read */
    struct range kept[RANGES_MAX];
};

/* Refuses a reader that cannot be used. It stays the caller's. */
swathe_status ranges_open(const struct memory *memory, const swathe_reader *reader,
                          struct ranges **ranges);
void ranges_close(struct ranges *ranges);

/* Bytes that a request should have at least. */
size_t ranges_request(const struct ranges *ranges);
/* Up to `size` bytes at `offset`, as many as one call gives; 0 only at the end. */
swathe_status ranges_fetch(struct ranges *ranges, int64_t offset, void *bytes, size_t size,
                           size_t *got);
/* Keeps a copy, as far as there is room. */
swathe_status ranges_keep(struct ranges *ranges, int64_t offset, const void *bytes, size_t size);

#endif
