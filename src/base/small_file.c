#include "base/small_file.h"

#include "base/os_file.h"
#include "base/os_path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool small_file_cached(const char *name, char *path, size_t size)
{
    char cache[OS_PATH];
    if (!os_cache_directory(cache, sizeof cache))
        return false;
    int length = snprintf(path, size, "%s/swathe/%s", cache, name);
    return length > 0 && (size_t)length < size;
}

static swathe_status small_file_refused(const char *what, const char *path)
{
    return fail_system(errno, "cannot %s %s", what, path);
}

/* Reads all bytes up to `most`; -1 if a system call fails. */
static int64_t small_file_read_all(int fd, char *to, int64_t most)
{
    int64_t got = 0;
    while (got < most) {
        int64_t part = os_read(fd, to + got, (size_t)(most - got));
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return -1;
        if (part == 0)
            break;
        got += part;
    }
    return got;
}

static swathe_status small_file_read_open(const struct memory *memory, int fd, const char *path,
                                          int64_t limit, char **text, int64_t *size)
{
    struct os_about about;
    char *got;
    if (os_about_open(fd, &about) != 0)
        return small_file_refused("read", path);
    if (about.kind != OS_REGULAR)
        return fail(SWATHE_ERROR_IO, "%s is not a regular file", path);
    if (about.size > limit)
        return fail(SWATHE_ERROR_LIMIT, "%s: %" PRId64 " bytes, the limit is %" PRId64, path,
                    about.size, limit);
    TRY(memory_new(memory, about.size + 1, 1, "a small file", &got));
    *size = small_file_read_all(fd, got, about.size);
    if (*size < 0) {
        memory_free(memory, got);
        return small_file_refused("read", path);
    }
    *text = got;
    return SWATHE_OK;
}

swathe_status small_file_read(const struct memory *memory, const char *path, int64_t limit,
                              char **text, int64_t *size)
{
    *text = NULL;
    int fd = os_open_read(path);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? SWATHE_OK : small_file_refused("read", path);
    swathe_status status = small_file_read_open(memory, fd, path, limit, text, size);
    os_close(fd);
    return status;
}

/* Creates the directory of `path`, and its parent if that is missing, too. */
static void make_directories(const char *path)
{
    char directory[OS_PATH];
    snprintf(directory, sizeof directory, "%s", path);
    const char *slash = os_last_slash(directory);
    if (!slash || slash == directory)
        return;
    directory[slash - directory] = '\0';
    char *above = strrchr(directory, '/');
    if (os_make_directory(directory, true) == 0 || errno != ENOENT || !above || above == directory)
        return;
    *above = '\0';
    os_make_directory(directory, true);
    *above = '/';
    os_make_directory(directory, true);
}

static bool small_file_write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        int64_t part = os_write(fd, text, size);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return false;
        text += part;
        size -= (size_t)part;
    }
    return true;
}

/* Follows links. A device or a pipe must not be replaced by a file. */
static swathe_status find_target(const char *path, char *target)
{
    struct os_about about;
    if (!os_real_path(path, target))
        snprintf(target, OS_PATH, "%s", path);
    if (os_about(target, &about) == 0 && about.kind != OS_REGULAR)
        return fail(SWATHE_ERROR_IO,
                    "%s is not a regular file and will not be replaced; name another", path);
    return SWATHE_OK;
}

/* Creates an empty file beside `path`; `temporary` has OS_PATH bytes. */
static swathe_status create_beside(const char *path, char *temporary, int *fd)
{
    if (snprintf(temporary, OS_PATH, "%s.XXXXXX", path) >= OS_PATH)
        return fail(SWATHE_ERROR_ARGUMENT, "%.60s...: the path is too long", path);
    make_directories(path);
    *fd = os_create_unique(temporary);
    return *fd < 0 ? small_file_refused("write", path) : SWATHE_OK;
}

static swathe_status base_small_file_replace(const char *path, const char *text, size_t size)
{
    char temporary[OS_PATH];
    int fd;
    TRY(create_beside(path, temporary, &fd));
    bool good = small_file_write_all(fd, text, size);
    int error = errno;
    if (os_close(fd) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && os_replace(temporary, path) == 0)
        return SWATHE_OK;
    errno = good ? errno : error;
    swathe_status status = small_file_refused("write", path);
    os_remove(temporary);
    return status;
}

swathe_status small_file_replace(const char *path, const char *text, size_t size)
{
    char target[OS_PATH];
    TRY(find_target(path, target));
    return base_small_file_replace(target, text, size);
}

swathe_status small_file_check(const char *path)
{
    char target[OS_PATH], temporary[OS_PATH];
    int fd;
    TRY(find_target(path, target));
    TRY(create_beside(target, temporary, &fd));
    os_close(fd);
    os_remove(temporary);
    return SWATHE_OK;
}
