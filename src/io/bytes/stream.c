#include "io/bytes/stream.h"

#include "base/checked.h"
#include "base/os_path.h"
#include "io/bytes/new_file.h"
#include "io/bytes/reader_ranges.h"
#include "io/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { BUFFER_SIZE = 1 << 16 };

struct stream {
    const struct memory *memory;
    struct cancel cancel;
    int fd;
    struct ranges *ranges; /* of a reader; NULL: bytes are read from the descriptor */
    bool keeps;            /* fetched bytes are kept in `ranges` */
    bool shared;           /* descriptor and ranges belong to another stream */
    bool seekable;
    int64_t base; /* of a regular file: the descriptor's initial position, which is our offset 0 */
    int64_t size; /* when seekable */
    int64_t position;
    swathe_status failure; /* of the first fetch that failed */
    struct failure why;
    /* Holds bytes buffer_at .. buffer_at + filled. A pipe's next byte comes right after them. */
    int64_t buffer_at;
    size_t filled, capacity;
    size_t request;  /* bytes that a small read fetches, within the capacity */
    uint8_t *buffer; /* `own`, unless a reader wants larger requests */
    uint8_t own[BUFFER_SIZE];
};

static swathe_status io_stream_make(const struct memory *memory, struct stream **stream)
{
    struct stream *made;
    TRY(memory_new_headed(memory, offsetof(struct stream, own), sizeof *made, "an input buffer",
                          &made));
    made->memory = memory;
    made->fd = -1;
    made->buffer = made->own;
    made->capacity = made->request = BUFFER_SIZE;
    *stream = made;
    return SWATHE_OK;
}

static swathe_status io_stream_check_kind(struct stream *stream)
{
    struct os_about about;
    if (os_about_open(stream->fd, &about) != 0)
        return fail_system(errno, "cannot read");
    if (about.kind == OS_DIRECTORY)
        return fail(SWATHE_ERROR_IO, "is a directory, not an image file");
    if (about.kind == OS_CHARACTERS || about.kind == OS_BLOCKS)
        return fail(SWATHE_ERROR_IO, "is a %s, not an image file",
                    os_is_terminal(stream->fd) ? "terminal" : "device");
    int64_t base = about.kind == OS_REGULAR ? os_tell(stream->fd) : -1;
    if (base >= 0) {
        stream->seekable = true;
        stream->base = base;
        stream->size = max64(0, about.size - base);
    }
    return SWATHE_OK;
}

static int io_stream_open_standard(void)
{
    os_set_binary(STANDARD_INPUT);
    return STANDARD_INPUT;
}

/* Opening does not wait for the writer of a pipe. fetch does, and can be cancelled. */
static swathe_status io_stream_start(struct stream *stream, const char *path)
{
    stream->fd = strcmp(path, "-") == 0 ? io_stream_open_standard() : os_open_read(path);
    if (stream->fd < 0)
        return fail_system(errno, "cannot open");
    return io_stream_check_kind(stream);
}

swathe_status stream_open(const struct memory *memory, const char *path,
                          const struct cancel *cancel, struct stream **stream)
{
    struct stream *made;
    TRY(io_stream_make(memory, &made));
    made->cancel = *cancel;
    swathe_status status = io_stream_start(made, path);
    if (status != SWATHE_OK) {
        stream_close(made);
        return status;
    }
    *stream = made;
    return SWATHE_OK;
}

swathe_status stream_return(struct stream *stream, const void *bytes, size_t size)
{
    if (size == 0)
        return SWATHE_OK;
    if (stream->seekable || stream->fd != STANDARD_INPUT)
        return fail(SWATHE_ERROR_ARGUMENT, "head: only standard input that is a pipe has one");
    if (!bytes || size > stream->capacity)
        return fail(SWATHE_ERROR_ARGUMENT, "head: %s, of %zu bytes; at most %zu are taken",
                    bytes ? "too long" : "a null pointer", size, stream->capacity);
    memcpy(stream->buffer, bytes, size);
    stream->filled = size;
    return SWATHE_OK;
}

/* Enlarges the buffer to `size` bytes and discards its contents. */
static swathe_status io_stream_reserve(struct stream *stream, int64_t size)
{
    uint8_t *buffer;
    if (size <= (int64_t)stream->capacity)
        return SWATHE_OK;
    TRY(memory_new_raw(stream->memory, size, 1, "an input buffer", &buffer));
    if (stream->buffer != stream->own)
        memory_free(stream->memory, stream->buffer);
    stream->buffer = buffer;
    stream->capacity = (size_t)size;
    stream->filled = 0;
    return SWATHE_OK;
}

static swathe_status start_reader(struct stream *stream, const swathe_reader *reader,
                                  int64_t max_memory)
{
    TRY(ranges_open(stream->memory, reader, max_memory, &stream->ranges));
    stream->seekable = true;
    stream->size = reader->size;
    stream->request = ranges_request(stream->ranges);
    return io_stream_reserve(stream, (int64_t)stream->request);
}

swathe_status stream_open_reader(const struct memory *memory, const swathe_reader *reader,
                                 int64_t max_memory, const struct cancel *cancel,
                                 struct stream **stream)
{
    struct stream *made;
    TRY(io_stream_make(memory, &made));
    made->cancel = *cancel;
    swathe_status status = start_reader(made, reader, max_memory);
    if (status != SWATHE_OK) {
        stream_close(made);
        return status;
    }
    *stream = made;
    return SWATHE_OK;
}

swathe_status stream_share(const struct stream *stream, struct stream **shared)
{
    struct stream *made;
    TRY(io_stream_make(stream->memory, &made));
    made->cancel = stream->cancel;
    made->fd = stream->fd;
    made->ranges = stream->ranges;
    made->shared = made->seekable = true;
    made->base = stream->base;
    made->size = stream->size;
    made->request = stream->request;
    swathe_status status = io_stream_reserve(made, (int64_t)made->request);
    if (status != SWATHE_OK) {
        stream_close(made);
        return status;
    }
    *shared = made;
    return SWATHE_OK;
}

void stream_close(struct stream *stream)
{
    if (!stream)
        return;
    if (stream->fd > STANDARD_ERROR && !stream->shared)
        os_close(stream->fd);
    if (!stream->shared)
        ranges_close(stream->ranges);
    if (stream->buffer != stream->own)
        memory_free(stream->memory, stream->buffer);
    memory_free(stream->memory, stream);
}

static swathe_status fetch_range(struct stream *stream, int64_t offset, void *bytes, size_t size,
                                 size_t *got)
{
    TRY(cancel_check(&stream->cancel));
    TRY(ranges_fetch(stream->ranges, offset, bytes, size, got));
    return stream->keeps ? ranges_keep(stream->ranges, offset, bytes, *got) : SWATHE_OK;
}

static swathe_status fetch_descriptor(const struct stream *stream, int64_t offset, void *bytes,
                                      size_t size, size_t *got)
{
    int64_t count;
    if (!stream->seekable)
        TRY(cancel_wait(&stream->cancel, stream->fd, OS_WAIT_READ));
    do
        count = stream->seekable ? os_read_at(stream->fd, bytes, size, stream->base + offset)
                                 : os_read(stream->fd, bytes, size);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return fail_system(errno, "cannot read");
    *got = (size_t)count;
    return SWATHE_OK;
}

/* Reads up to `size` bytes at once: those after the buffer (pipe), or at `offset` (file,
 * reader). */
static swathe_status io_stream_fetch(struct stream *stream, int64_t offset, void *bytes,
                                     size_t size, size_t *got)
{
    TRY(stream_check(stream));
    stream->failure = stream->ranges ? fetch_range(stream, offset, bytes, size, got)
                                     : fetch_descriptor(stream, offset, bytes, size, got);
    if (stream->failure != SWATHE_OK)
        stream->why = fail_keep();
    return stream->failure;
}

swathe_status stream_check(const struct stream *stream)
{
    if (stream->failure != SWATHE_OK)
        fail_again(&stream->why);
    return stream->failure;
}

/* Bytes of the buffer from the position on. */
static size_t io_stream_buffered(const struct stream *stream)
{
    int64_t skip = stream->position - stream->buffer_at;
    return skip >= 0 && skip < (int64_t)stream->filled ? stream->filled - (size_t)skip : 0;
}

swathe_status stream_peek(struct stream *stream, uint8_t *head, size_t size, size_t *got)
{
    size_t count = 1;
    while (stream->filled < size && count > 0) {
        TRY(io_stream_fetch(stream, (int64_t)stream->filled, stream->buffer + stream->filled,
                            stream->request - stream->filled, &count));
        stream->filled += count;
    }
    *got = stream->filled < size ? stream->filled : size;
    memcpy(head, stream->buffer, *got);
    return SWATHE_OK;
}

/* Reads up to `size` bytes at the position, past the buffer; large requests bypass the buffer. */
static swathe_status read_on(struct stream *stream, uint8_t *to, size_t size, size_t *got)
{
    if (size >= stream->request) {
        TRY(io_stream_fetch(stream, stream->position, to, size, got));
        stream->position += (int64_t)*got;
        stream->buffer_at = stream->position;
        stream->filled = 0;
        return SWATHE_OK;
    }
    size_t count;
    TRY(io_stream_fetch(stream, stream->position, stream->buffer, stream->request, &count));
    stream->buffer_at = stream->position;
    stream->filled = count;
    *got = count < size ? count : size;
    memcpy(to, stream->buffer, *got);
    stream->position += (int64_t)*got;
    return SWATHE_OK;
}

swathe_status stream_read(struct stream *stream, void *bytes, size_t size, size_t *got)
{
    uint8_t *to = bytes;
    size_t done = 0, ready = io_stream_buffered(stream);
    if (ready > 0 && size > 0) {
        done = ready < size ? ready : size;
        memcpy(to, stream->buffer + (stream->position - stream->buffer_at), done);
        stream->position += (int64_t)done;
    }
    while (done < size) {
        size_t count;
        TRY(read_on(stream, to + done, size - done, &count));
        if (count == 0)
            break;
        done += count;
    }
    *got = done;
    return SWATHE_OK;
}

swathe_status stream_read_all(struct stream *stream, void *bytes, size_t size)
{
    size_t got;
    TRY(stream_read(stream, bytes, size, &got));
    if (got < size)
        return fail(SWATHE_ERROR_INPUT, "the file ends early, after %" PRId64 " bytes",
                    stream->position);
    return SWATHE_OK;
}

static swathe_status io_stream_write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        int64_t count = os_write(fd, bytes, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return temporary_file_full(count < 0 ? errno : ENOSPC);
        bytes += count;
        size -= (size_t)count;
    }
    return SWATHE_OK;
}

static swathe_status copy_rest(struct stream *stream, int fd, int64_t most)
{
    while (stream->filled > 0) {
        if ((int64_t)stream->filled > most - stream->buffer_at)
            return limits_fail_spool(most);
        TRY(io_stream_write_all(fd, stream->buffer, stream->filled));
        stream->buffer_at += (int64_t)stream->filled;
        stream->filled = 0;
        TRY(io_stream_fetch(stream, stream->buffer_at, stream->buffer, BUFFER_SIZE,
                            &stream->filled));
    }
    return SWATHE_OK;
}

void stream_keep(struct stream *stream)
{
    stream->keeps = stream->ranges && ranges_keep(stream->ranges, stream->buffer_at, stream->buffer,
                                                  stream->filled) == SWATHE_OK;
}

void stream_keep_no_more(struct stream *stream)
{
    stream->keeps = false;
}

bool stream_calls(const struct stream *stream)
{
    return stream->ranges != NULL;
}

int64_t stream_gap(const struct stream *stream)
{
    return stream->ranges ? (int64_t)stream->request : 0;
}

bool stream_holds(const struct stream *stream, int64_t offset, int64_t size)
{
    return offset >= stream->buffer_at &&
           offset + size <= stream->buffer_at + (int64_t)stream->filled;
}

swathe_status stream_gather(struct stream *stream, int64_t offset, int64_t size)
{
    size_t count = 1;
    if (stream_holds(stream, offset, size))
        return SWATHE_OK;
    TRY(io_stream_reserve(stream, size));
    stream->filled = 0;
    stream->buffer_at = offset;
    while ((int64_t)stream->filled < size && count > 0) {
        int64_t least = max64(size - (int64_t)stream->filled, stream_gap(stream));
        size_t space = stream->capacity - stream->filled;
        TRY(io_stream_fetch(stream, offset + (int64_t)stream->filled,
                            stream->buffer + stream->filled,
                            least < (int64_t)space ? (size_t)least : space, &count));
        stream->filled += count;
    }
    return SWATHE_OK;
}

bool stream_seekable(const struct stream *stream)
{
    return stream->seekable;
}

swathe_status stream_make_seekable(struct stream *stream, int64_t most)
{
    if (stream->seekable)
        return SWATHE_OK;
    if (stream->buffer_at != 0)
        return fail(SWATHE_ERROR_INTERNAL, "the start of the pipe was already discarded");
    if (stream->filled == 0)
        TRY(io_stream_fetch(stream, 0, stream->buffer, BUFFER_SIZE, &stream->filled));
    int fd;
    TRY(temporary_file_open(&fd));
    swathe_status status = copy_rest(stream, fd, most);
    if (status != SWATHE_OK) {
        os_close(fd);
        return status;
    }
    if (stream->fd > STANDARD_ERROR)
        os_close(stream->fd);
    stream->fd = fd;
    stream->size = stream->buffer_at;
    stream->seekable = true;
    return SWATHE_OK;
}

swathe_status stream_seek(struct stream *stream, int64_t offset)
{
    if (!stream->seekable && offset != stream->position)
        return fail(SWATHE_ERROR_INTERNAL, "a pipe cannot seek to byte %" PRId64, offset);
    /* The largest offset that `base` can be added to. */
    if (offset < 0 || offset > INT64_MAX / 2)
        return fail(SWATHE_ERROR_INPUT, "the file refers to byte %" PRId64 ", which is outside it",
                    offset);
    stream->position = offset;
    return SWATHE_OK;
}

int64_t stream_tell(const struct stream *stream)
{
    return stream->position;
}

int64_t stream_size(const struct stream *stream)
{
    return stream->size;
}
