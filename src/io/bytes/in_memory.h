/* Encoded bytes in memory: a growing buffer, and a reader and a writer. */
#ifndef SWATHE_IO_BYTES_IN_MEMORY_H
#define SWATHE_IO_BYTES_IN_MEMORY_H

#include "base/memory.h"
#include "base/status.h"

/* A growing buffer. */
struct bytes {
    const struct memory *memory;
    uint8_t *data;
    int64_t used, capacity;
};

/* Reserves `capacity` bytes in total. */
swathe_status bytes_reserve(struct bytes *bytes, int64_t capacity);
swathe_status bytes_append(struct bytes *bytes, const void *more, int64_t size);

/* See swathe_reader_memory and swathe_writer_memory. */
void bytes_reader(const void *bytes, size_t size, swathe_reader *reader);
swathe_status bytes_writer(const struct memory *memory, void **bytes, size_t *size,
                           swathe_writer *writer);

#endif
