#include "io/bytes/output.h"

#include "base/checked.h"
#include "base/os_file.h"
#include "base/text.h"
#include "io/bytes/new_file.h"
#include "io/choose_format.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { BUFFER_SIZE = 1 << 18 };

struct output {
    const struct memory *memory;
    char *path;           /* as given; NULL: standard output, or a writer */
    char *shown;          /* the same for messages, without control characters */
    swathe_writer writer; /* if its write is NULL, bytes go to a descriptor */
    bool ended;           /* finish was called */
    struct new_file file; /* also the temporary file of an output that becomes seekable */
    int plain_fd;         /* written directly, without undo; -1: a regular file */
    bool pipe;            /* plain_fd can block: a pipe, a socket or a terminal */
    bool shared;          /* plain_fd is standard output, which must not be made non-blocking */
    struct output_options options;

    int64_t position, size; /* as seen by the caller */
    int64_t buffer_at;      /* file offset of the buffered bytes */
    size_t buffered;
    uint8_t buffer[BUFFER_SIZE];
};

static const char *io_output_shown(const struct output *output)
{
    if (output->writer.write)
        return output->writer.name;
    return output->shown ? output->shown : "standard output";
}

static swathe_status io_output_fail_create(const struct output *output, const char *doing)
{
    return fail_system(errno, "%s: %s", io_output_shown(output), doing);
}

/* ---- The place ------------------------------------------------------------------------------ */

static swathe_status io_output_copy_text(const struct memory *memory, const char *text, char **copy)
{
    size_t size = strlen(text) + 1;
    TRY(memory_new_raw(memory, (int64_t)size, 1, "a path", copy));
    memcpy(*copy, text, size);
    return SWATHE_OK;
}

/* Opens without blocking, because opening or writing a FIFO without a reader would block. */
static swathe_status open_plain(struct output *output, const struct os_about *old)
{
    for (;;) {
        output->plain_fd = os_open_write(output->path);
        if (output->plain_fd >= 0 || errno != ENXIO || old->kind != OS_PIPE)
            break;
        TRY(cancel_pause(&output->options.cancel));
    }
    output->pipe = old->kind != OS_BLOCKS;
    return output->plain_fd < 0 ? io_output_fail_create(output, "cannot open") : SWATHE_OK;
}

/* Standard output may be shared with other programs, so a pipe there is opened again in order to
 * write without blocking. If that fails, data are written in small pieces whenever the pipe is
 * writable. */
static swathe_status io_output_open_standard(struct output *output)
{
    struct os_about about;
    output->plain_fd = STANDARD_OUTPUT;
    output->shared = true;
    os_set_binary(STANDARD_OUTPUT);
    if (os_about_open(STANDARD_OUTPUT, &about) != 0)
        return io_output_fail_create(output, "cannot write");
    output->pipe = about.kind != OS_REGULAR && about.kind != OS_BLOCKS;
    if (about.kind != OS_PIPE)
        return SWATHE_OK;
    int own = os_reopen_output();
    if (own >= 0) {
        output->plain_fd = own;
        output->shared = false;
    }
    return SWATHE_OK;
}

/* A symbolic link stays, and the file that it points to is replaced, unless `nofollow` is set. */
static swathe_status open_existing(struct output *output, const struct os_about *old)
{
    bool link = old->kind == OS_LINK;
    if (old->kind == OS_DIRECTORY)
        return fail(SWATHE_ERROR_IO, "%s: is a directory", io_output_shown(output));
    if (old->kind != OS_REGULAR && !link)
        return open_plain(output, old);
    if (!output->options.overwrite)
        return new_file_exists(&output->file);
    if (output->options.nofollow)
        return new_file_open(&output->file, output->path, link ? NULL : old);
    char real[OS_PATH];
    if (!os_real_path(output->path, real))
        return io_output_fail_create(output, "cannot resolve");
    return new_file_open(&output->file, real, old);
}

static swathe_status io_output_start(struct output *output, const char *path)
{
    if (strcmp(path, "-") == 0)
        return io_output_open_standard(output);
    TRY(io_output_copy_text(output->memory, path, &output->path));
    TRY(io_output_copy_text(output->memory, path, &output->shown));
    text_clean(output->shown);
    output->file.shown = output->shown;
    struct os_about old;
    if ((output->options.nofollow ? os_about_link : os_about)(path, &old) == 0)
        return open_existing(output, &old);
    if (errno != ENOENT && errno != ENOTDIR)
        return io_output_fail_create(output, "cannot create");
    return new_file_open(&output->file, path, NULL);
}

static swathe_status io_output_make(const struct memory *memory, struct output **output)
{
    struct output *made;
    TRY(memory_new_headed(memory, offsetof(struct output, buffer), sizeof *made, "an output buffer",
                          &made));
    made->memory = memory;
    made->plain_fd = -1;
    made->file = (struct new_file){
        .memory = memory, .options = &made->options, .open = {.fd = -1, .directory_fd = -1}};
    *output = made;
    return SWATHE_OK;
}

swathe_status output_create_writer(const struct memory *memory, const swathe_writer *writer,
                                   const struct cancel *cancel, struct output **output)
{
    swathe_status status = io_output_make(memory, output);
    if (status != SWATHE_OK) {
        if (writer->abandon)
            writer->abandon(writer->user);
        return status;
    }
    (*output)->writer = *writer;
    (*output)->options.cancel = *cancel;
    return SWATHE_OK;
}

swathe_status output_create(const struct memory *memory, const char *path,
                            const struct output_options *options, struct output **output)
{
    struct output *made;
    TRY(io_output_make(memory, &made));
    made->options = *options;
    swathe_status status = io_output_start(made, path);
    if (status != SWATHE_OK) {
        output_destroy(made);
        return status;
    }
    *output = made;
    return SWATHE_OK;
}

swathe_status output_make_seekable(struct output *output)
{
    if (output->file.open.fd >= 0)
        return SWATHE_OK;
    if (output->size > 0)
        return fail(SWATHE_ERROR_INTERNAL, "output became seekable after its first byte");
    return temporary_file_open(&output->file.open.fd);
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

static swathe_status fail_write(int64_t count)
{
    return fail_system(count < 0 ? errno : ENOSPC, "cannot write");
}

/* True if the file is a temporary one, to be copied to a writer or standard output at commit. */
static bool is_copied(const struct output *output)
{
    return output->writer.write || output->plain_fd >= 0;
}

static swathe_status io_output_write_file(const struct output *output, const uint8_t *bytes,
                                          size_t size)
{
    int64_t offset = output->buffer_at;
    while (size > 0) {
        int64_t count = os_write_at(output->file.open.fd, bytes, size, offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return is_copied(output) ? temporary_file_full(count < 0 ? errno : ENOSPC)
                                     : fail_write(count);
        bytes += count;
        size -= (size_t)count;
        offset += count;
    }
    return SWATHE_OK;
}

static swathe_status write_caller(const struct output *output, const uint8_t *bytes, size_t size)
{
    const swathe_writer *writer = &output->writer;
    if (size == 0)
        return SWATHE_OK;
    TRY(cancel_check(&output->options.cancel));
    struct failure kept = fail_keep();
    fail_record(SWATHE_ERROR_INTERNAL, "the writer failed and gave no reason");
    swathe_status status = writer->write(writer->user, bytes, size);
    return fail_release(&kept, fail_returned(status, "the writer's write"));
}

static swathe_status io_output_write_plain(const struct output *output, const uint8_t *bytes,
                                           size_t size)
{
    if (output->writer.write)
        return write_caller(output, bytes, size);
    bool pieces = output->pipe && output->shared;
    while (size > 0) {
        TRY(output->pipe ? cancel_wait(&output->options.cancel, output->plain_fd, OS_WAIT_WRITE)
                         : cancel_check(&output->options.cancel));
        int64_t count = os_write(output->plain_fd, bytes,
                                 pieces && size > OS_PIPE_PIECE ? OS_PIPE_PIECE : size);
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (count <= 0)
            return fail_write(count);
        bytes += count;
        size -= (size_t)count;
    }
    return SWATHE_OK;
}

static swathe_status write_through(struct output *output, const void *bytes, size_t size)
{
    return output->file.open.fd >= 0 ? io_output_write_file(output, bytes, size)
                                     : io_output_write_plain(output, bytes, size);
}

swathe_status output_flush(struct output *output)
{
    TRY(write_through(output, output->buffer, output->buffered));
    output->buffer_at += (int64_t)output->buffered;
    output->buffered = 0;
    return SWATHE_OK;
}

swathe_status output_write(struct output *output, const void *bytes, size_t size)
{
    int64_t end;
    if (!checked_add(output->position, (int64_t)size, &end))
        return fail(SWATHE_ERROR_LIMIT, "the file would exceed 2^63 bytes");
    if (output->position != output->buffer_at + (int64_t)output->buffered ||
        size > BUFFER_SIZE - output->buffered)
        TRY(output_flush(output));
    if (output->buffered == 0)
        output->buffer_at = output->position;
    if (size > BUFFER_SIZE) {
        TRY(write_through(output, bytes, size));
        output->buffer_at = end;
    } else if (size > 0) {
        memcpy(output->buffer + output->buffered, bytes, size);
        output->buffered += size;
    }
    output->position = end;
    output->size = max64(output->size, end);
    return SWATHE_OK;
}

swathe_status output_seek(struct output *output, int64_t offset)
{
    if (output->file.open.fd < 0 || offset < 0)
        return fail(SWATHE_ERROR_INTERNAL, "the output cannot seek to byte %" PRId64, offset);
    output->position = offset;
    return SWATHE_OK;
}

swathe_status output_read(struct output *output, void *bytes, size_t size, size_t *got)
{
    if (output->file.open.fd < 0)
        return fail(SWATHE_ERROR_INTERNAL, "the output cannot be read back");
    TRY(output_flush(output));
    size_t done = 0;
    while (done < size) {
        int64_t count =
            os_read_at(output->file.open.fd, (char *)bytes + done, size - done, output->position);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_system(errno, "cannot read back");
        if (count == 0)
            break;
        done += (size_t)count;
        output->position += count;
    }
    *got = done;
    return SWATHE_OK;
}

swathe_status output_truncate(struct output *output, int64_t size)
{
    int failed;
    TRY(output_seek(output, size));
    TRY(output_flush(output));
    do
        failed = os_truncate(output->file.open.fd, size);
    while (failed && errno == EINTR);
    if (failed)
        return fail_system(errno, "cannot truncate");
    output->size = size;
    return SWATHE_OK;
}

int64_t output_tell(const struct output *output)
{
    return output->position;
}

int64_t output_size(const struct output *output)
{
    return output->size;
}

/* ---- Commit --------------------------------------------------------------------------------- */

/* Copies the temporary file to standard output or a writer. */
static swathe_status copy_out(struct output *output)
{
    TRY(output_seek(output, 0));
    size_t got = 1;
    while (got > 0) {
        TRY(output_read(output, output->buffer, BUFFER_SIZE, &got));
        TRY(io_output_write_plain(output, output->buffer, got));
    }
    return SWATHE_OK;
}

static swathe_status commit_writer(struct output *output)
{
    const swathe_writer *writer = &output->writer;
    TRY(cancel_check(&output->options.cancel)); /* past this point the file appears */
    output->ended = true;
    struct failure kept = fail_keep();
    fail_record(SWATHE_ERROR_INTERNAL, "the writer failed to finish and gave no reason");
    swathe_status status = writer->finish ? writer->finish(writer->user) : SWATHE_OK;
    return fail_release(&kept, fail_returned(status, "the writer's finish"));
}

static swathe_status commit_plain(struct output *output)
{
    if (output->file.open.fd >= 0)
        TRY(copy_out(output));
    if (output->writer.write)
        return commit_writer(output);
    /* A pipe or a terminal cannot be synced; a file behind standard output can. */
    if (os_sync(output->plain_fd) != 0 && (errno == EIO || os_is_full(errno)))
        return fail_system(errno, "cannot write");
    return SWATHE_OK;
}

swathe_status output_commit(struct output *output)
{
    swathe_status status = output_flush(output);
    if (status == SWATHE_OK && is_copied(output))
        status = commit_plain(output);
    else if (status == SWATHE_OK)
        return new_file_publish(&output->file);
    return fail_named(status, io_output_shown(output));
}

void output_destroy(struct output *output)
{
    if (!output)
        return;
    if (!output->ended && output->writer.abandon)
        output->writer.abandon(output->writer.user);
    new_file_close(&output->file);
    if (output->plain_fd > STANDARD_ERROR)
        os_close(output->plain_fd);
    memory_free(output->memory, output->path);
    memory_free(output->memory, output->shown);
    memory_free(output->memory, output);
}

/* ---- An output as a writer of the caller ---------------------------------------------------- */

struct writer {
    const struct memory *memory;
    struct output *output;
    char *shown; /* the path, for messages */
};

static void destroy_writer(struct writer *writer)
{
    const struct memory *memory = writer->memory;
    output_destroy(writer->output);
    memory_free(memory, writer->shown);
    memory_free(memory, writer);
}

/* A program at the other end of a pipe may wait for these bytes. */
static swathe_status io_output_write_bytes(void *user, const void *bytes, size_t count)
{
    struct writer *writer = user;
    swathe_status status = output_write(writer->output, bytes, count);
    if (status == SWATHE_OK)
        status = output_flush(writer->output);
    return fail_named(status, writer->shown);
}

static swathe_status io_output_finish(void *user)
{
    struct writer *writer = user;
    swathe_status status = output_commit(writer->output);
    destroy_writer(writer);
    return status;
}

static void io_output_abandon(void *user)
{
    destroy_writer(user);
}

swathe_status output_writer(const struct memory *memory, const char *path,
                            const struct output_options *options, swathe_writer *writer)
{
    struct writer *made;
    TRY(memory_new(memory, 1, sizeof *made, "a writer", &made));
    made->memory = memory;
    swathe_status status =
        format_shown(memory, strcmp(path, "-") == 0 ? "standard output" : path, &made->shown);
    if (status == SWATHE_OK)
        status = output_create(memory, path, options, &made->output);
    if (status != SWATHE_OK) {
        destroy_writer(made);
        return status;
    }
    *writer = SWATHE_INIT(swathe_writer);
    writer->user = made;
    writer->name = made->shown;
    writer->write = io_output_write_bytes;
    writer->finish = io_output_finish;
    writer->abandon = io_output_abandon;
    return SWATHE_OK;
}
