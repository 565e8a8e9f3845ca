#define _GNU_SOURCE /* O_CLOEXEC, O_DIRECTORY, O_TMPFILE, sync_file_range */
#include "basics.h"
#include "files/files.h"
#include "s3/s3.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int folder_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* The directory of a path; false if memory is short. */
static bool folder_text(const char *path, struct store_text *folder)
{
    int size = folder_size(path);
    store_text_print(folder, "%.*s", size > 0 ? size : 1, size > 0 ? path : ".");
    return store_text_ok(folder);
}

char *store_temporary_path(const char *path, const char *id)
{
    struct store_text text = {0};
    store_text_print(&text, "%.*s" FILES_TEMPORARY "%s", folder_size(path), path, id);
    if (store_text_ok(&text))
        return text.bytes;
    store_text_free(&text);
    return NULL;
}

/* Makes the directories above a path that do not exist. */
static swathe_status make_folders(const char *path)
{
    char *copy = store_copy(path);
    if (!copy)
        return store_fail_memory();
    swathe_status status = SWATHE_OK;
    for (char *at = copy + 1; *copy && status == SWATHE_OK && (at = strchr(at, '/')); at++) {
        *at = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            status = store_fail_path(errno, copy);
        *at = '/';
    }
    store_free(copy);
    return status;
}

swathe_status store_temporary_create(const char *path, char id[TEMPORARY_ID + 1], int *fd)
{
    STORE_TRY(store_new_mark(id, TEMPORARY_ID + 1));
    char *name = store_temporary_path(path, id);
    if (!name)
        return store_fail_memory();
    int own = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    swathe_status status = SWATHE_OK;
    if (own < 0 && errno == ENOENT) {
        status = make_folders(path);
        if (status == SWATHE_OK)
            own = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (own < 0 && status == SWATHE_OK)
        status = store_fail_path(errno, path);
    store_free(name);
    *fd = own;
    return status;
}

/* Opens a file without a name, of which nothing is left if the process is killed. A name can only
 * be added through /proc. */
static int temporary_file_open_unnamed(const char *path)
{
#if defined(O_TMPFILE) && !defined(STORE_ONLY_NAMED) /* tests disable this */
    struct store_text folder = {0};
    int fd = -1;
    if (access("/proc/self/fd", X_OK) == 0 && folder_text(path, &folder)) {
        fd = open(folder.bytes, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
        if (fd < 0 && errno == ENOENT && make_folders(path) == SWATHE_OK)
            fd = open(folder.bytes, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    }
    store_text_free(&folder);
    return fd;
#else
    (void)path;
    return -1;
#endif
}

swathe_status store_unnamed_create(const char *path, char id[TEMPORARY_ID + 1], int *fd)
{
    id[0] = '\0';
    *fd = temporary_file_open_unnamed(path);
    return *fd >= 0 ? SWATHE_OK : store_temporary_create(path, id, fd);
}

/* Makes the new name durable. Some file systems cannot sync directories. */
static swathe_status sync_folder(const char *path)
{
    struct store_text folder = {0};
    if (!folder_text(path, &folder))
        return store_fail_memory();
    int fd = open(folder.bytes, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    swathe_status status = SWATHE_OK;
    if (fd >= 0 && fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        status = store_fail_path(errno, path);
    if (fd >= 0)
        close(fd);
    store_text_free(&folder);
    return status;
}

/* Gives an unnamed file its name. Only an existing file needs a temporary name in between, because
 * a link cannot replace it. */
static int temporary_file_link_unnamed(const char *path, int fd, int mode)
{
    char self[40], id[TEMPORARY_ID + 1];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    if (errno != EEXIST || mode == STORE_NEW)
        return errno;
    char *name = NULL;
    if (store_new_mark(id, sizeof id) != SWATHE_OK || !(name = store_temporary_path(path, id)))
        return ENOMEM;
    int error = linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    if (error == 0 && rename(name, path) != 0) {
        error = errno;
        unlink(name);
    }
    store_free(name);
    return error;
}

static swathe_status temporary_file_published(const char *path, int error, int mode)
{
    if (error == EEXIST && mode == STORE_NEW)
        return store_fail_exists(path);
    return error ? store_fail_path(error, path) : sync_folder(path);
}

static swathe_status publish_unnamed(const char *path, int fd, int mode)
{
    int error = fsync(fd) == 0 ? temporary_file_link_unnamed(path, fd, mode) : errno;
    close(fd);
    return temporary_file_published(path, error, mode);
}

swathe_status store_temporary_publish(const char *path, const char *id, int fd, int mode)
{
    if (!*id)
        return publish_unnamed(path, fd, mode);
    char *name = store_temporary_path(path, id);
    int error = 0;
    if (!name) {
        close(fd);
        return store_fail_memory();
    }
    if (fsync(fd) != 0)
        error = errno;
    if (close(fd) != 0 && error == 0 && errno != EINTR)
        error = errno;
    if (error == 0 && (mode == STORE_NEW ? link(name, path) : rename(name, path)) != 0)
        error = errno;
    if (mode == STORE_NEW || error != 0)
        unlink(name);
    store_free(name);
    return temporary_file_published(path, error, mode);
}

void store_write_soon(int fd, int64_t offset, int64_t size)
{
#ifdef SYNC_FILE_RANGE_WRITE
    sync_file_range(fd, (off_t)offset, (off_t)size, SYNC_FILE_RANGE_WRITE); /* only a hint */
#else
    (void)fd, (void)offset, (void)size;
#endif
}

swathe_status store_write_all(const char *path, int fd, const void *bytes, size_t size,
                              int64_t offset)
{
    const char *from = bytes;
    while (size > 0) {
        ssize_t done = pwrite(fd, from, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return store_fail_path(done < 0 ? errno : EIO, path);
        from += done;
        offset += done;
        size -= (size_t)done;
    }
    return SWATHE_OK;
}
