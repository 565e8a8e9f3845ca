#define _GNU_SOURCE /* O_CLOEXEC, st_mtim, copy_file_range */
#include "files/files.h"
#include "basics.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* About what a disk reads in the time of a seek. */
enum { FILE_REQUEST_BYTES = 1 << 16 };

void store_file_info(const struct stat *found, struct store_info *info)
{
    info->size = (int64_t)found->st_size;
    snprintf(info->etag, sizeof info->etag, "%llx-%llx-%llx-%llx.%lx",
             (unsigned long long)found->st_dev, (unsigned long long)found->st_ino,
             (unsigned long long)found->st_size, (unsigned long long)found->st_ctim.tv_sec,
             (unsigned long)found->st_ctim.tv_nsec);
}

swathe_status store_file_stat(const char *path, struct store_info *info)
{
    struct stat found;
    if (stat(path, &found) != 0)
        return store_fail_path(errno, path);
    if (!S_ISREG(found.st_mode))
        return store_fail_path(S_ISDIR(found.st_mode) ? EISDIR : EINVAL, path);
    store_file_info(&found, info);
    return SWATHE_OK;
}

swathe_status store_file_delete(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
        return SWATHE_OK;
    return store_fail_path(errno, path);
}

struct file_reader {
    struct store *store;
    char *path;
    int fd;
    struct store_info info; /* when it was opened */
};

/* Fails if the path names another file now, or the file was written to. */
static swathe_status files_check_same(const struct file_reader *reader)
{
    struct store_info now;
    struct stat found;
    if (stat(reader->path, &found) != 0)
        return errno == ENOENT ? store_fail_changed(reader->path)
                               : store_fail_path(errno, reader->path);
    store_file_info(&found, &now);
    return strcmp(now.etag, reader->info.etag) == 0 ? SWATHE_OK : store_fail_changed(reader->path);
}

static swathe_status files_read_at(void *user, int64_t offset, void *buffer, size_t count,
                                   size_t *got)
{
    struct file_reader *reader = user;
    size_t size = 0;
    while (size < count) {
        ssize_t some =
            pread(reader->fd, (char *)buffer + size, count - size, (off_t)(offset + (int64_t)size));
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return store_fail_path(errno, reader->path);
        if (some == 0)
            break;
        size += (size_t)some;
    }
    if (store_cancelled(reader->store))
        return store_fail_cancelled();
    STORE_TRY(
        files_check_same(reader)); /* after the bytes were read: they are of the opened version */
    atomic_fetch_add(&reader->store->bytes_read, (int64_t)size);
    *got = size;
    return SWATHE_OK;
}

swathe_status store_file_copy_some(const swathe_reader *reader, int64_t from, int fd, int64_t to,
                                   int64_t size, int64_t *done)
{
    struct file_reader *own = reader->user;
    *done = 0;
    if (store_cancelled(own->store))
        return store_fail_cancelled();
#if defined(__linux__) && !defined(STORE_ONLY_READ) /* tests disable this */
    off_t in = (off_t)from, out = (off_t)to;
    ssize_t some = copy_file_range(own->fd, &in, fd, &out, (size_t)size, 0);
    if (some <= 0) /* also at errors: reading and writing meet them again, and say which side */
        return SWATHE_OK;
    STORE_TRY(files_check_same(own));
    atomic_fetch_add(&own->store->bytes_read, (int64_t)some);
    *done = some;
#else
    (void)from, (void)fd, (void)to, (void)size;
#endif
    return SWATHE_OK;
}

static void destroy_reader(void *user)
{
    struct file_reader *reader = user;
    if (reader->fd >= 0)
        close(reader->fd);
    store_free(reader->path);
    store_free(reader);
}

static swathe_status files_open_file(struct file_reader *reader, const char *path)
{
    struct stat found;
    reader->path = store_copy(path);
    if (!reader->path)
        return store_fail_memory();
    reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would block */
    if (reader->fd < 0 || fstat(reader->fd, &found) != 0)
        return store_fail_path(errno, path);
    if (!S_ISREG(found.st_mode))
        return store_fail_path(S_ISDIR(found.st_mode) ? EISDIR : EINVAL, path);
    store_file_info(&found, &reader->info);
    return SWATHE_OK;
}

swathe_status store_file_reader(struct store *store, const char *path, swathe_reader *reader)
{
    struct file_reader *own = store_new(1, sizeof *own);
    if (!own)
        return store_fail_memory();
    own->store = store;
    own->fd = -1;
    swathe_status status = files_open_file(own, path);
    if (status != SWATHE_OK) {
        destroy_reader(own);
        return status;
    }
    *reader = SWATHE_INIT(swathe_reader);
    reader->user = own;
    reader->size = own->info.size;
    reader->flags = SWATHE_CONCURRENT;
    reader->request_bytes = FILE_REQUEST_BYTES;
    reader->name = own->path;
    reader->read_at = files_read_at;
    reader->destroy = destroy_reader;
    return SWATHE_OK;
}

swathe_status store_file_get(struct store *store, const char *path, int64_t max_bytes, void **bytes,
                             size_t *size, struct store_info *info)
{
    swathe_reader reader;
    size_t got = 0;
    STORE_TRY(store_file_reader(store, path, &reader));
    const struct file_reader *own = reader.user;
    swathe_status status = SWATHE_OK;
    char *memory = NULL;
    if (reader.size > max_bytes)
        status = store_fail(SWATHE_ERROR_LIMIT, EFBIG, "%s: has %lld bytes, the limit is %lld",
                            path, (long long)reader.size, (long long)max_bytes);
    else if (!(memory = store_resize(NULL, (size_t)reader.size, 1)))
        status = store_fail_memory();
    if (status == SWATHE_OK)
        status = files_read_at(reader.user, 0, memory, (size_t)reader.size, &got);
    if (status == SWATHE_OK && got != (size_t)reader.size)
        status = store_fail_changed(path);
    if (status == SWATHE_OK && info)
        *info = own->info;
    destroy_reader(reader.user);
    if (status != SWATHE_OK) {
        store_free(memory);
        return status;
    }
    *bytes = memory;
    *size = got;
    return SWATHE_OK;
}

/* ---- Directories ---------------------------------------------------------------------------- */

enum { OPEN_FOLDERS = 16 };

/* Others may delete the same files. A directory in which a file appeared meanwhile is kept. */
static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *place)
{
    (void)found;
    (void)kind;
    (void)place;
    return remove(path) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST ? 0 : -1;
}

swathe_status store_file_delete_below(const char *path)
{
    if (nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT)
        return SWATHE_OK;
    return store_fail_path(errno, path);
}
