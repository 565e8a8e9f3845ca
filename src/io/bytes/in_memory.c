#include "io/bytes/in_memory.h"

#include "base/checked.h"

#include <string.h>

/* ---- Bytes that grow ------------------------------------------------------------------------ */

swathe_status bytes_reserve(struct bytes *bytes, int64_t capacity)
{
    uint8_t *data;
    if (capacity <= bytes->capacity)
        return SWATHE_OK;
    TRY(memory_new_raw(bytes->memory, capacity, 1, "encoded pixels", &data));
    if (bytes->used > 0)
        memcpy(data, bytes->data, (size_t)bytes->used);
    memory_free(bytes->memory, bytes->data);
    bytes->data = data;
    bytes->capacity = capacity;
    return SWATHE_OK;
}

swathe_status bytes_append(struct bytes *bytes, const void *more, int64_t size)
{
    int64_t used;
    if (!checked_add(bytes->used, size, &used))
        return fail(SWATHE_ERROR_LIMIT, "the file would exceed 2^63 bytes");
    if (used > bytes->capacity)
        TRY(bytes_reserve(bytes, max64(used, size_add(bytes->capacity, bytes->capacity / 2))));
    if (size > 0)
        memcpy(bytes->data + bytes->used, more, (size_t)size);
    bytes->used = used;
    return SWATHE_OK;
}

/* ---- Reader --------------------------------------------------------------------------------- */

/* The caller never requests bytes past the size: readers may rely on that. */
static swathe_status io_in_memory_read(void *user, int64_t offset, void *buffer, size_t count,
                                       size_t *got)
{
    memcpy(buffer, (const uint8_t *)user + offset, count);
    *got = count;
    return SWATHE_OK;
}

void bytes_reader(const void *bytes, size_t size, swathe_reader *reader)
{
    *reader = SWATHE_INIT(swathe_reader);
    reader->user = (void *)(uintptr_t)bytes;
    reader->size = (int64_t)size;
    reader->flags = SWATHE_CONCURRENT;
    reader->read_at = io_in_memory_read;
}

/* ---- Writer --------------------------------------------------------------------------------- */

struct memory_writer {
    struct bytes bytes;
    void **data; /* where to store the address, for the caller */
    size_t *size;
};

static swathe_status write_memory(void *user, const void *bytes, size_t count)
{
    struct memory_writer *writer = user;
    return bytes_append(&writer->bytes, bytes, (int64_t)count);
}

static swathe_status finish_memory(void *user)
{
    struct memory_writer *writer = user;
    *writer->data = writer->bytes.data;
    *writer->size = (size_t)writer->bytes.used;
    memory_free(writer->bytes.memory, writer);
    return SWATHE_OK;
}

static void abandon_memory(void *user)
{
    struct memory_writer *writer = user;
    memory_free(writer->bytes.memory, writer->bytes.data);
    memory_free(writer->bytes.memory, writer);
}

swathe_status bytes_writer(const struct memory *memory, void **bytes, size_t *size,
                           swathe_writer *writer)
{
    struct memory_writer *made;
    TRY(memory_new(memory, 1, sizeof *made, "a writer", &made));
    made->bytes.memory = memory;
    made->data = bytes;
    made->size = size;
    *writer = SWATHE_INIT(swathe_writer);
    writer->user = made;
    writer->write = write_memory;
    writer->finish = finish_memory;
    writer->abandon = abandon_memory;
    return SWATHE_OK;
}
