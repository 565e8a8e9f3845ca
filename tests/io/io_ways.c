#include "io_ways.h"

#include "io/bytes/in_memory.h"
#include "io_check.h"

#include <stdlib.h>
#include <string.h>

enum { FREE_MEMORY = 1 << 28, SHORT_MOST = 5003 };

const char *io_way_name(enum io_way way)
{
    static const char *const names[] = {"path", "memory", "callback"};
    return names[way];
}

static bool enter(struct io_callback *callback, swathe_status *status)
{
    io_check(atomic_fetch_add(&callback->busy, 1) == 0, "two calls at once");
    if (atomic_fetch_add(&callback->calls, 1) + 1 != callback->fail_at)
        return true;
    *status = swathe_error_set(SWATHE_ERROR_IO, IO_CALLBACK_FAILS);
    return false;
}

static swathe_status leave(struct io_callback *callback, swathe_status status)
{
    atomic_fetch_sub(&callback->busy, 1);
    return status;
}

static swathe_status read_at(void *user, int64_t offset, void *buffer, size_t count, size_t *got)
{
    struct io_callback *callback = user;
    swathe_status status = SWATHE_OK;
    if (!enter(callback, &status))
        return leave(callback, status);
    bool within = offset >= 0 && count > 0 && (uint64_t)offset + count <= callback->size;
    size_t most = 1 + (size_t)atomic_load(&callback->calls) * 2099 % SHORT_MOST;
    if (io_check(within, "requested %zu bytes at %d of %zu", count, (int)offset, callback->size)) {
        *got = count < most ? count : most;
        memcpy(buffer, callback->bytes + offset, *got);
    }
    return leave(callback, status);
}

static void destroy(void *user)
{
    struct io_callback *callback = user;
    atomic_fetch_add(&callback->destroyed, 1);
}

swathe_reader io_callback_reader(struct io_callback *callback, const char *name)
{
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    reader.user = callback;
    reader.size = (int64_t)callback->size;
    reader.name = name;
    reader.request_bytes = 1;
    reader.read_at = read_at;
    reader.destroy = destroy;
    return reader;
}

static swathe_status write_next(void *user, const void *bytes, size_t count)
{
    struct io_callback *callback = user;
    swathe_status status = SWATHE_OK;
    io_check(!callback->finished && !callback->abandoned, "written after the end");
    if (!enter(callback, &status))
        return leave(callback, status);
    callback->bytes = realloc(callback->bytes, callback->size + count);
    if (!callback->bytes)
        exit(EXIT_FAILURE);
    memcpy(callback->bytes + callback->size, bytes, count);
    callback->size += count;
    return leave(callback, status);
}

static swathe_status finish(void *user)
{
    ((struct io_callback *)user)->finished++;
    return SWATHE_OK;
}

static void abandon(void *user)
{
    ((struct io_callback *)user)->abandoned++;
}

swathe_writer io_callback_writer(struct io_callback *callback, const char *name)
{
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    writer.user = callback;
    writer.name = name;
    writer.write = write_next;
    writer.finish = finish;
    writer.abandon = abandon;
    return writer;
}

/* ---- A file's bytes, opened in each way ----------------------------------------------------- */

static void free_callback(void *user)
{
    struct io_callback *callback = user;
    free(callback->bytes);
    free(callback);
}

swathe_status io_open(enum io_way way, const char *path, const swathe_read_options *options,
                      swathe_source **source)
{
    swathe_reader reader;
    if (way == IO_PATH)
        return file_open(&memory_default, FREE_MEMORY, path, options, source);
    struct io_callback *callback = calloc(1, sizeof *callback);
    if (!callback)
        exit(EXIT_FAILURE);
    callback->bytes = io_load(path, &callback->size);
    if (way == IO_CALLBACK) {
        reader = io_callback_reader(callback, path);
        reader.destroy = free_callback;
    } else {
        bytes_reader(callback->bytes, callback->size, &reader);
        reader.name = path;
        reader.destroy = free; /* `user` are the bytes */
        free(callback);
    }
    return file_open_reader(&memory_default, FREE_MEMORY, &reader, options, source);
}
