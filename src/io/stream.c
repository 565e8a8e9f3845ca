#define _GNU_SOURCE /* O_CLOEXEC beside POSIX names */
#include "io/stream.h"

#include "base/checked.h"
#include "io/limits.h"
#include "io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 16 };

struct stream {
    const struct memory *memory;
    struct cancel cancel;
    int fd;
    bool shared; /* the descriptor is another stream's */
    bool seekable;
    int64_t base; /* of a regular file: where the descriptor stood, which is our offset 0 */
    int64_t size; /* when seekable */
    int64_t position;
    /* Holds bytes buffer_at .. buffer_at + filled. A pipe's next byte comes right after them. */
    int64_t buffer_at;
    size_t filled;
    uint8_t buffer[BUFFER_SIZE];
};

static swathe_status check_kind(struct stream *stream)
{
    struct stat info;
    if (fstat(stream->fd, &info) != 0)
        return fail(SWATHE_ERROR_IO, "cannot read: %s", strerror(errno));
    if (S_ISDIR(info.st_mode))
        return fail(SWATHE_ERROR_IO, "is a directory, not an image file");
    if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))
        return fail(SWATHE_ERROR_IO, "is a %s, not an image file",
                    isatty(stream->fd) ? "terminal" : "device");
    off_t base = S_ISREG(info.st_mode) ? lseek(stream->fd, 0, SEEK_CUR) : -1;
    if (base >= 0) {
        stream->seekable = true;
        stream->base = base;
        stream->size = max64(0, info.st_size - base);
    }
    return SWATHE_OK;
}

/* Opening a FIFO would wait for somebody who writes to it; fetch does that, and can be cancelled.
 */
static int open_path(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0)
        fcntl(fd, F_SETFL, 0);
    return fd;
}

static swathe_status start(struct stream *stream, const char *path)
{
    stream->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open_path(path);
    if (stream->fd < 0)
        return fail(SWATHE_ERROR_IO, "cannot open: %s", strerror(errno));
    return check_kind(stream);
}

swathe_status stream_open(const struct memory *memory, const char *path,
                          const struct cancel *cancel, struct stream **stream)
{
    struct stream *made;
    TRY(memory_new_headed(memory, offsetof(struct stream, buffer), sizeof *made, "an input buffer",
                          &made));
    made->memory = memory;
    made->cancel = *cancel;
    swathe_status status = start(made, path);
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
    TRY(memory_new_headed(stream->memory, offsetof(struct stream, buffer), sizeof *made,
                          "an input buffer", &made));
    made->memory = stream->memory;
    made->fd = stream->fd;
    made->shared = made->seekable = true;
    made->base = stream->base;
    made->size = stream->size;
    *shared = made;
    return SWATHE_OK;
}

void stream_close(struct stream *stream)
{
    if (!stream)
        return;
    if (stream->fd > STDERR_FILENO && !stream->shared)
        close(stream->fd);
    memory_free(stream->memory, stream);
}

/* One read of up to `size` bytes that follow the buffer (pipe) or lie at `offset` (file). */
static swathe_status fetch(struct stream *stream, int64_t offset, void *bytes, size_t size,
                           size_t *got)
{
    ssize_t count;
    if (!stream->seekable)
        TRY(cancel_wait(&stream->cancel, stream->fd, POLLIN));
    do
        count = stream->seekable ? pread(stream->fd, bytes, size, (off_t)(stream->base + offset))
                                 : read(stream->fd, bytes, size);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return fail(SWATHE_ERROR_IO, "cannot read: %s", strerror(errno));
    *got = (size_t)count;
    return SWATHE_OK;
}

/* Bytes of the buffer from the position on. */
static size_t buffered(const struct stream *stream)
{
    int64_t skip = stream->position - stream->buffer_at;
    return skip >= 0 && skip < (int64_t)stream->filled ? stream->filled - (size_t)skip : 0;
}

swathe_status stream_peek(struct stream *stream, uint8_t *head, size_t size, size_t *got)
{
    size_t count = 1;
    while (stream->filled < size && count > 0) {
        TRY(fetch(stream, (int64_t)stream->filled, stream->buffer + stream->filled,
                  BUFFER_SIZE - stream->filled, &count));
        stream->filled += count;
    }
    *got = stream->filled < size ? stream->filled : size;
    memcpy(head, stream->buffer, *got);
    return SWATHE_OK;
}

/* Up to `size` bytes at the position, past the buffer; large requests go straight through. */
static swathe_status read_on(struct stream *stream, uint8_t *to, size_t size, size_t *got)
{
    if (size >= BUFFER_SIZE) {
        TRY(fetch(stream, stream->position, to, size, got));
        stream->position += (int64_t)*got;
        stream->buffer_at = stream->position;
        stream->filled = 0;
        return SWATHE_OK;
    }
    size_t count;
    TRY(fetch(stream, stream->position, stream->buffer, BUFFER_SIZE, &count));
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
    size_t done = 0, ready = buffered(stream);
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

static swathe_status write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = write(fd, bytes, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return fail(SWATHE_ERROR_IO,
                        "the temporary copy of the input: %s; set TMPDIR to a folder with room",
                        strerror(count < 0 ? errno : ENOSPC));
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
        TRY(write_all(fd, stream->buffer, stream->filled));
        stream->buffer_at += (int64_t)stream->filled;
        stream->filled = 0;
        TRY(fetch(stream, stream->buffer_at, stream->buffer, BUFFER_SIZE, &stream->filled));
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
        return fail(SWATHE_ERROR_INTERNAL, "the start of the pipe is gone");
    if (stream->filled == 0)
        TRY(fetch(stream, 0, stream->buffer, BUFFER_SIZE, &stream->filled));
    int fd;
    TRY(temporary_open(&fd));
    swathe_status status = copy_rest(stream, fd, most);
    if (status != SWATHE_OK) {
        close(fd);
        return status;
    }
    if (stream->fd > STDERR_FILENO)
        close(stream->fd);
    stream->fd = fd;
    stream->size = stream->buffer_at;
    stream->seekable = true;
    return SWATHE_OK;
}

swathe_status stream_seek(struct stream *stream, int64_t offset)
{
    if (!stream->seekable && offset != stream->position)
        return fail(SWATHE_ERROR_INTERNAL, "a pipe cannot go to byte %" PRId64, offset);
    /* The largest offset that `base` can be added to. */
    if (offset < 0 || offset > INT64_MAX / 2)
        return fail(SWATHE_ERROR_INPUT, "the file points to byte %" PRId64 ", outside itself",
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
