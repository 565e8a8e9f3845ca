/* Parts of a file are written into one temporary file, by any process. The ETag of a part has its
 * place, its MD5, and the inode and birth of that file: "OFFSET-SIZE-MD5-INODE.BIRTH", so that
 * finishing can check that nothing is missing, and that a file that is already there is the one of
 * these parts. */
#define _GNU_SOURCE /* O_CLOEXEC, statx */
#include "basics.h"
#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY_BYTES = 1 << 20, COPY_AT_ONCE = 8 << 20, IDENTITY = 56 };

static swathe_status no_upload(const char *path)
{
    return store_fail(SWATHE_ERROR_IO, ENOENT, "%s: there is no such upload in parts", path);
}

static swathe_status open_upload(const char *path, const char *id, int *fd)
{
    if (!store_is_hex(id, TEMPORARY_ID) || strlen(id) != TEMPORARY_ID)
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "%s: not the id of an upload in parts",
                          path);
    char *name = store_temporary_path(path, id);
    if (!name)
        return store_fail_memory();
    *fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    int error = errno;
    store_free(name);
    if (*fd >= 0)
        return SWATHE_OK;
    return error == ENOENT ? no_upload(path) : store_fail_path(error, path);
}

swathe_status store_file_begin(const char *path, char *id, size_t size)
{
    char own[TEMPORARY_ID + 1];
    int fd = -1;
    if (size < sizeof own)
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "the id of an upload needs %zu bytes",
                          sizeof own);
    STORE_TRY(store_temporary_create(path, own, &fd));
    close(fd);
    memcpy(id, own, sizeof own);
    return SWATHE_OK;
}

/* Synced here, because another machine may finish the file. */
static swathe_status files_parts_write_part(const char *path, int fd, int64_t offset,
                                            const void *bytes, size_t size)
{
    STORE_TRY(store_write_all(path, fd, bytes, size, offset));
    return fdatasync(fd) == 0 ? SWATHE_OK : store_fail_path(errno, path);
}

/* What a file keeps when it is renamed, as text. File systems use an inode again after a file was
 * deleted, so the time of its creation is a part of it where the system tells it. */
static swathe_status files_parts_identity(const char *path, int fd, char text[IDENTITY])
{
#ifdef STATX_BTIME
    struct statx found;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &found) != 0)
        return store_fail_path(errno, path);
    bool born = (found.stx_mask & STATX_BTIME) != 0;
    snprintf(text, IDENTITY, "-%llu.%lld.%u", (unsigned long long)found.stx_ino,
             born ? (long long)found.stx_btime.tv_sec : 0, born ? found.stx_btime.tv_nsec : 0);
#else
    struct stat found;
    if (fstat(fd, &found) != 0)
        return store_fail_path(errno, path);
    snprintf(text, IDENTITY, "-%llu", (unsigned long long)found.st_ino);
#endif
    return SWATHE_OK;
}

static swathe_status files_parts_fill_part(const char *path, int fd, int32_t number, int64_t offset,
                                           int64_t size, const char *hash, struct store_part *part)
{
    char file[IDENTITY];
    STORE_TRY(files_parts_identity(path, fd, file));
    part->number = number;
    snprintf(part->etag, sizeof part->etag, "%" PRId64 "-%" PRId64 "-%s%s", offset, size, hash,
             file);
    return SWATHE_OK;
}

swathe_status store_file_part(struct store *store, const char *path, const char *id, int32_t number,
                              int64_t offset, const void *bytes, size_t size,
                              struct store_part *part)
{
    unsigned char hash[MD5_BYTES];
    char text[MD5_TEXT] = "";
    int fd = -1;
    if (number < 1 || offset < 0)
        return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "%s: part %d at %" PRId64, path, number,
                          offset);
    STORE_TRY(open_upload(path, id, &fd));
    swathe_status status = files_parts_write_part(path, fd, offset, bytes, size);
    if (status == SWATHE_OK && store_md5(bytes, size, hash))
        store_hex(hash, sizeof hash, text);
    if (status == SWATHE_OK)
        status = files_parts_fill_part(path, fd, number, offset, (int64_t)size, text, part);
    close(fd);
    if (status == SWATHE_OK)
        atomic_fetch_add(&store->bytes_written, (int64_t)size);
    return status;
}

static swathe_status copy_through(const swathe_reader *reader, int64_t from, const char *path,
                                  int fd, int64_t to, int64_t size, int64_t *done)
{
    size_t some = size < COPY_BYTES ? (size_t)size : COPY_BYTES, got = 0;
    char *buffer = store_new(COPY_BYTES, 1);
    if (!buffer)
        return store_fail_memory();
    swathe_status status = reader->read_at(reader->user, from, buffer, some, &got);
    if (status == SWATHE_OK && got == 0)
        status = store_fail_changed(reader->name);
    if (status == SWATHE_OK)
        status = store_write_all(path, fd, buffer, got, to);
    *done = (int64_t)got;
    store_free(buffer);
    return status;
}

static swathe_status files_parts_copy_bytes(const swathe_reader *reader, int64_t from,
                                            const char *path, int fd, int64_t to, int64_t size)
{
    int64_t done = 0;
    for (int64_t at = 0; at < size; at += done) {
        int64_t some = size - at < COPY_AT_ONCE ? size - at : COPY_AT_ONCE;
        STORE_TRY(store_file_copy_some(reader, from + at, fd, to + at, some, &done));
        if (done == 0)
            STORE_TRY(copy_through(reader, from + at, path, fd, to + at, some, &done));
        store_write_soon(fd, to + at, done);
    }
    return fdatasync(fd) == 0 ? SWATHE_OK : store_fail_path(errno, path);
}

swathe_status store_file_copy(struct store *store, const char *path, const char *id, int32_t number,
                              int64_t offset, const char *from, int64_t from_offset, int64_t size,
                              struct store_part *part)
{
    swathe_reader reader;
    int fd = -1;
    STORE_TRY(store_file_reader(store, from, &reader));
    swathe_status status = SWATHE_OK;
    if (number < 1 || offset < 0 || size < 1 || from_offset < 0 || from_offset > reader.size ||
        size > reader.size - from_offset)
        status = store_fail(SWATHE_ERROR_ARGUMENT, EINVAL, "%s: no bytes %" PRId64 " to %" PRId64,
                            from, from_offset, from_offset + (size - 1));
    if (status == SWATHE_OK)
        status = open_upload(path, id, &fd);
    if (status == SWATHE_OK) {
        status = files_parts_copy_bytes(&reader, from_offset, path, fd, offset, size);
        if (status == SWATHE_OK)
            status = files_parts_fill_part(path, fd, number, offset, size, "copy", part);
        close(fd);
    }
    reader.destroy(reader.user);
    return status;
}

/* Checks that the parts cover the file from 0 to `total`. */
static swathe_status check_cover(const char *path, const struct store_part *parts, int32_t count,
                                 int64_t total)
{
    int64_t end = 0;
    for (int32_t i = 0; i < count; i++) {
        long long offset, size;
        char first[24] = "", second[24] = "";
        const char *dash = strchr(parts[i].etag, '-');
        size_t a = dash ? (size_t)(dash - parts[i].etag) : 0, b = dash ? strcspn(dash + 1, "-") : 0;
        if (a < sizeof first && b < sizeof second && dash) {
            memcpy(first, parts[i].etag, a);
            memcpy(second, dash + 1, b);
        }
        if (!store_number(first, &offset) || !store_number(second, &size) || offset != end ||
            size > total - end)
            return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL,
                              "%s: part %d does not start at byte %" PRId64, path, parts[i].number,
                              end);
        end += size;
    }
    if (end == total)
        return SWATHE_OK;
    return store_fail(SWATHE_ERROR_ARGUMENT, EINVAL,
                      "%s: the parts have %" PRId64 " bytes of %" PRId64, path, end, total);
}

/* True if the file at `path` is the one that the parts were written to. An older file is another
 * one: both were there when the upload began. */
static bool is_result(const char *path, const struct store_part *parts, int32_t count,
                      int64_t total)
{
    struct stat found;
    char file[IDENTITY];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool same = fd >= 0 && fstat(fd, &found) == 0 && (int64_t)found.st_size == total &&
                files_parts_identity(path, fd, file) == SWATHE_OK;
    for (int32_t i = 0; same && i < count; i++) {
        const char *last = strrchr(parts[i].etag, '-');
        same = last && strcmp(last, file) == 0;
    }
    if (fd >= 0)
        close(fd);
    return same;
}

swathe_status store_file_finish(const char *path, const char *id, const struct store_part *parts,
                                int32_t count, int64_t total, int mode)
{
    struct stat found;
    int fd = -1;
    STORE_TRY(check_cover(path, parts, count, total));
    swathe_status status = open_upload(path, id, &fd);
    if (status != SWATHE_OK) {
        bool gone = store_last_system() == ENOENT;
        if (gone && is_result(path, parts, count, total))
            return SWATHE_OK; /* finished before */
        return gone ? no_upload(path) : status;
    }
    if (fstat(fd, &found) != 0)
        status = store_fail_path(errno, path);
    else if ((int64_t)found.st_size != total)
        status = store_fail(SWATHE_ERROR_IO, EIO,
                            "%s: the parts have %lld bytes in the file instead of %" PRId64, path,
                            (long long)found.st_size, total);
    if (status == SWATHE_OK)
        return store_temporary_publish(path, id, fd, mode);
    close(fd);
    return status;
}

swathe_status store_file_abort(const char *path, const char *id)
{
    int fd = -1;
    swathe_status status = open_upload(path, id, &fd);
    if (status != SWATHE_OK)
        return store_last_system() == ENOENT ? SWATHE_OK : status;
    close(fd);
    char *name = store_temporary_path(path, id);
    if (!name)
        return store_fail_memory();
    if (unlink(name) != 0 && errno != ENOENT)
        status = store_fail_path(errno, path);
    store_free(name);
    return status;
}
