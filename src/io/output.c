#define _GNU_SOURCE /* O_TMPFILE, renameat2 */
#include "io/output.h"

#include "base/checked.h"
#include "io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 18, TEMPORARY_NAME = 16 };

struct output {
    const struct memory *memory;
    char *path;        /* as given, for messages; NULL: standard output */
    char *folder;      /* of the file that is written */
    const char *name;  /* within the folder */
    int fd, folder_fd; /* -1: not open */
    int plain_fd;      /* written without undo; -1: a file with a name */
    bool pipe;         /* plain_fd can block: a pipe, a socket or a terminal */
    bool shared;       /* plain_fd is standard output, which must not be made non-blocking */
    struct output_options options;
    char temporary[TEMPORARY_NAME]; /* its name until commit; empty: it has none */

    int64_t position, size; /* of the caller */
    int64_t buffer_at;      /* file offset of the buffered bytes */
    size_t buffered;
    uint8_t buffer[BUFFER_SIZE];
};

static const char *shown(const struct output *output)
{
    return output->path ? output->path : "standard output";
}

static swathe_status fail_create(const struct output *output, const char *doing)
{
    return fail(SWATHE_ERROR_IO, "%s: %s: %s", shown(output), doing, strerror(errno));
}

static swathe_status fail_exists(const struct output *output)
{
    return fail(SWATHE_ERROR_ARGUMENT, "%s exists; replace it with --overwrite", shown(output));
}

/* ---- The place ------------------------------------------------------------------------------ */

static swathe_status copy_text(const struct memory *memory, const char *text, char **copy)
{
    size_t size = strlen(text) + 1;
    TRY(memory_new_raw(memory, (int64_t)size, 1, "a path", copy));
    memcpy(*copy, text, size);
    return SWATHE_OK;
}

/* Cuts the path at its last slash and opens the folder. */
static swathe_status open_folder(struct output *output, const char *path)
{
    TRY(copy_text(output->memory, path, &output->folder));
    char *slash = strrchr(output->folder, '/');
    output->name = slash ? slash + 1 : output->folder;
    if (*output->name == '\0')
        return fail(SWATHE_ERROR_IO, "%s: names a folder, not a file", shown(output));
    const char *folder = slash == output->folder ? "/" : slash ? output->folder : ".";
    if (slash)
        *slash = '\0';
    output->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (output->folder_fd < 0)
        return fail(SWATHE_ERROR_IO, "%s: its folder %s cannot be opened: %s", shown(output),
                    folder, strerror(errno));
    return SWATHE_OK;
}

/* Six letters that nobody else draws at the same moment. */
static void draw_name(struct output *output)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    uint8_t random[6];
    if (getrandom(random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random) {
        uint64_t mix = (uintptr_t)output ^ ((uint64_t)getpid() << 20);
        memcpy(random, &mix, sizeof random);
    }
    char name[] = ".swathe-XXXXXX";
    for (int i = 0; i < 6; i++)
        name[8 + i] = letters[random[i] % 32];
    memcpy(output->temporary, name, sizeof name);
}

enum { ATTEMPTS = 100 };

static int open_named(struct output *output)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        draw_name(output);
        int fd = openat(output->folder_fd, output->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                        0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* A file without a name leaves nothing behind, however the process ends. It can be given a name
 * only through /proc. */
static int open_unnamed(const struct output *output)
{
#if defined(O_TMPFILE) && !defined(OUTPUT_ONLY_NAMED) /* tests try the other way too */
    if (access("/proc/self/fd", X_OK) == 0)
        return openat(output->folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
#endif
    (void)output;
    return -1;
}

static swathe_status open_file(struct output *output, const char *path, const struct stat *old)
{
    TRY(open_folder(output, path));
    output->fd = open_unnamed(output);
    if (output->fd < 0) {
        output->fd = open_named(output);
        if (output->fd < 0) {
            output->temporary[0] = '\0';
            return fail_create(output, "cannot write in its folder");
        }
    }
    if (old && fchmod(output->fd, old->st_mode & 0777) != 0 && errno != EPERM)
        return fail_create(output, "cannot keep the permissions");
    return SWATHE_OK;
}

/* Opening a FIFO that nobody reads would block, and so would writing to it: neither may. */
static swathe_status open_plain(struct output *output, const struct stat *old)
{
    for (;;) {
        output->plain_fd = open(output->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (output->plain_fd >= 0 || errno != ENXIO || !S_ISFIFO(old->st_mode))
            break;
        TRY(cancel_pause(&output->options.cancel));
    }
    output->pipe = !S_ISBLK(old->st_mode);
    return output->plain_fd < 0 ? fail_create(output, "cannot open") : SWATHE_OK;
}

/* Standard output belongs to other programs too, so a pipe there is opened again to be written
 * without blocking. Where that fails it is written in pieces that fit once it is writable. */
static swathe_status open_standard(struct output *output)
{
    struct stat info;
    output->plain_fd = STDOUT_FILENO;
    output->shared = true;
    if (fstat(STDOUT_FILENO, &info) != 0)
        return fail_create(output, "cannot write");
    output->pipe = !S_ISREG(info.st_mode) && !S_ISBLK(info.st_mode);
    if (!S_ISFIFO(info.st_mode))
        return SWATHE_OK;
    int own = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (own >= 0) {
        output->plain_fd = own;
        output->shared = false;
    }
    return SWATHE_OK;
}

/* A symbolic link stays one, unless `nofollow`: the file that it points to is replaced. */
static swathe_status open_existing(struct output *output, const struct stat *old)
{
    bool link = S_ISLNK(old->st_mode);
    if (S_ISDIR(old->st_mode))
        return fail(SWATHE_ERROR_IO, "%s: is a directory", shown(output));
    if (!S_ISREG(old->st_mode) && !link)
        return open_plain(output, old);
    if (!output->options.overwrite)
        return fail_exists(output);
    if (output->options.nofollow)
        return open_file(output, output->path, link ? NULL : old);
    char real[PATH_MAX];
    if (!realpath(output->path, real))
        return fail_create(output, "cannot resolve");
    return open_file(output, real, old);
}

static swathe_status start(struct output *output, const char *path)
{
    if (strcmp(path, "-") == 0)
        return open_standard(output);
    TRY(copy_text(output->memory, path, &output->path));
    struct stat old;
    if ((output->options.nofollow ? lstat(path, &old) : stat(path, &old)) == 0)
        return open_existing(output, &old);
    if (errno != ENOENT && errno != ENOTDIR)
        return fail_create(output, "cannot create");
    return open_file(output, path, NULL);
}

swathe_status output_create(const struct memory *memory, const char *path,
                            const struct output_options *options, struct output **output)
{
    struct output *made;
    TRY(memory_new_headed(memory, offsetof(struct output, buffer), sizeof *made, "an output buffer",
                          &made));
    made->memory = memory;
    made->options = *options;
    made->fd = made->folder_fd = made->plain_fd = -1;
    swathe_status status = start(made, path);
    if (status != SWATHE_OK) {
        output_destroy(made);
        return status;
    }
    *output = made;
    return SWATHE_OK;
}

swathe_status output_make_seekable(struct output *output)
{
    if (output->fd >= 0)
        return SWATHE_OK;
    if (output->size > 0)
        return fail(SWATHE_ERROR_INTERNAL, "output became seekable after its first byte");
    return temporary_open(&output->fd);
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

static swathe_status fail_write(ssize_t count)
{
    return fail(SWATHE_ERROR_IO, "cannot write: %s", strerror(count < 0 ? errno : ENOSPC));
}

static swathe_status write_at(int fd, const uint8_t *bytes, size_t size, int64_t offset)
{
    while (size > 0) {
        ssize_t count = pwrite(fd, bytes, size, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return fail_write(count);
        bytes += count;
        size -= (size_t)count;
        offset += count;
    }
    return SWATHE_OK;
}

static swathe_status write_plain(const struct output *output, const uint8_t *bytes, size_t size)
{
    bool pieces = output->pipe && output->shared;
    while (size > 0) {
        TRY(output->pipe ? cancel_wait(&output->options.cancel, output->plain_fd, POLLOUT)
                         : cancel_check(&output->options.cancel));
        ssize_t count = write(output->plain_fd, bytes, pieces && size > PIPE_BUF ? PIPE_BUF : size);
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
    return output->fd >= 0 ? write_at(output->fd, bytes, size, output->buffer_at)
                           : write_plain(output, bytes, size);
}

static swathe_status flush(struct output *output)
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
        return fail(SWATHE_ERROR_LIMIT, "a file of more than 2^63 bytes");
    if (output->position != output->buffer_at + (int64_t)output->buffered ||
        size > BUFFER_SIZE - output->buffered)
        TRY(flush(output));
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
    if (output->fd < 0 || offset < 0)
        return fail(SWATHE_ERROR_INTERNAL, "the output cannot go to byte %" PRId64, offset);
    output->position = offset;
    return SWATHE_OK;
}

swathe_status output_read(struct output *output, void *bytes, size_t size, size_t *got)
{
    if (output->fd < 0)
        return fail(SWATHE_ERROR_INTERNAL, "the output cannot be read back");
    TRY(flush(output));
    size_t done = 0;
    while (done < size) {
        ssize_t count =
            pread(output->fd, (char *)bytes + done, size - done, (off_t)output->position);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail(SWATHE_ERROR_IO, "cannot read back: %s", strerror(errno));
        if (count == 0)
            break;
        done += (size_t)count;
        output->position += count;
    }
    *got = done;
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

/* From the temporary file to standard output. */
static swathe_status copy_out(struct output *output)
{
    TRY(output_seek(output, 0));
    size_t got = 1;
    while (got > 0) {
        TRY(output_read(output, output->buffer, BUFFER_SIZE, &got));
        TRY(write_plain(output, output->buffer, got));
    }
    return SWATHE_OK;
}

static swathe_status commit_plain(struct output *output)
{
    if (output->fd >= 0)
        TRY(copy_out(output));
    /* A pipe or a terminal cannot be synced; a file behind standard output can. */
    if (fsync(output->plain_fd) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT))
        return fail(SWATHE_ERROR_IO, "cannot write: %s", strerror(errno));
    return SWATHE_OK;
}

/* Gives the unnamed file a name; EEXIST when there is one already. */
static int link_unnamed(const struct output *output, const char *name)
{
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", output->fd);
    return linkat(AT_FDCWD, self, output->folder_fd, name, AT_SYMLINK_FOLLOW);
}

static int link_temporary(struct output *output)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        draw_name(output);
        if (link_unnamed(output, output->temporary) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    output->temporary[0] = '\0';
    return -1;
}

/* Temporary name to final name, when there is no file yet. */
static int rename_new(struct output *output)
{
#ifdef RENAME_NOREPLACE
    if (renameat2(output->folder_fd, output->temporary, output->folder_fd, output->name,
                  RENAME_NOREPLACE) == 0) {
        output->temporary[0] = '\0';
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
#endif
    /* output_destroy removes the temporary name. */
    return linkat(output->folder_fd, output->temporary, output->folder_fd, output->name, 0);
}

static int rename_over(struct output *output)
{
    if (!*output->temporary && link_temporary(output) != 0)
        return -1;
    if (renameat(output->folder_fd, output->temporary, output->folder_fd, output->name) != 0)
        return -1;
    output->temporary[0] = '\0';
    return 0;
}

static swathe_status commit_file(struct output *output)
{
    if (!output->options.unsynced && fsync(output->fd) != 0)
        return fail_create(output, "cannot write");
    TRY(cancel_check(&output->options.cancel)); /* from here on it appears */
    int failed = output->options.overwrite ? rename_over(output)
                 : *output->temporary      ? rename_new(output)
                                           : link_unnamed(output, output->name);
    if (failed)
        return errno == EEXIST ? fail_exists(output) : fail_create(output, "cannot name the file");
    /* Some file systems have no fsync for folders and say so with EINVAL. */
    if (!output->options.unsynced && fsync(output->folder_fd) != 0 && errno != EINVAL &&
        errno != EBADF)
        return fail_create(output, "cannot sync its folder");
    return SWATHE_OK;
}

swathe_status output_commit(struct output *output)
{
    swathe_status status = flush(output);
    if (status == SWATHE_OK && output->plain_fd >= 0)
        status = commit_plain(output);
    else if (status == SWATHE_OK)
        return commit_file(output);
    return status == SWATHE_OK ? status : fail_within(status, "%s: ", shown(output));
}

void output_destroy(struct output *output)
{
    if (!output)
        return;
    if (output->fd >= 0)
        close(output->fd);
    if (*output->temporary)
        unlinkat(output->folder_fd, output->temporary, 0);
    if (output->folder_fd >= 0)
        close(output->folder_fd);
    if (output->plain_fd > STDERR_FILENO)
        close(output->plain_fd);
    memory_free(output->memory, output->folder);
    memory_free(output->memory, output->path);
    memory_free(output->memory, output);
}
