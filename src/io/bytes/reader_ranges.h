/* A caller's reader. It is called by one thread at a time unless it allows more. The ranges that
 * were read to open a file are kept, because other threads read them again. */
#ifndef SWATHE_IO_BYTES_READER_RANGES_H
#define SWATHE_IO_BYTES_READER_RANGES_H

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
    pthread_mutex_t mutex; /* held during calls of the reader, unless it is SWATHE_CONCURRENT */
    int64_t most;          /* bytes of a buffer for requests, and of all ranges kept */
    int64_t kept_bytes;
    int count; /* number of ranges kept; none is added after other threads start to read */
    struct range kept[RANGES_MAX];
};

/* Fails if the reader is invalid. The reader still belongs to the caller. Requests and kept ranges
 * take at most a sixteenth of `max_memory` each. */
swathe_status ranges_open(const struct memory *memory, const swathe_reader *reader,
                          int64_t max_memory, struct ranges **ranges);
void ranges_close(struct ranges *ranges);

/* The minimum size of a request, in bytes. */
size_t ranges_request(const struct ranges *ranges);
/* Reads up to `size` bytes at `offset` with one call; 0 only at the end. */
swathe_status ranges_fetch(struct ranges *ranges, int64_t offset, void *bytes, size_t size,
                           size_t *got);
/* Keeps a copy, if there is space. */
swathe_status ranges_keep(struct ranges *ranges, int64_t offset, const void *bytes, size_t size);

#endif
