#define _GNU_SOURCE /* secure_getenv, mkostemp, realpath */
#include "base/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool small_file_cached(const char *name, char *path, size_t size)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    int length = 0;
    if (cache && *cache == '/') /* the XDG specification ignores relative paths */
        length = snprintf(path, size, "%s/swathe/%s", cache, name);
    else if (home && *home == '/')
        length = snprintf(path, size, "%s/.cache/swathe/%s", home, name);
    return length > 0 && (size_t)length < size;
}

static swathe_status refused(const char *what, const char *path)
{
    return fail_system(errno, "cannot %s %s", what, path);
}

/* Reads all bytes up to `most`; -1 if a system call fails. */
static int64_t read_all(int fd, char *to, int64_t most)
{
    int64_t got = 0;
    while (got < most) {
        ssize_t part = read(fd, to + got, (size_t)(most - got));
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

static swathe_status read_open(const struct memory *memory, int fd, const char *path, int64_t limit,
                               char **text, int64_t *size)
{
    struct stat about;
    char *got;
    if (fstat(fd, &about) != 0)
        return refused("read", path);
    if (!S_ISREG(about.st_mode))
        return fail(SWATHE_ERROR_IO, "%s is not a regular file", path);
    if (about.st_size > limit)
        return fail(SWATHE_ERROR_LIMIT, "%s: %" PRId64 " bytes, the limit is %" PRId64, path,
                    (int64_t)about.st_size, limit);
    TRY(memory_new(memory, about.st_size + 1, 1, "a small file", &got));
    *size = read_all(fd, got, about.st_size);
    if (*size < 0) {
        memory_free(memory, got);
        return refused("read", path);
    }
    *text = got;
    return SWATHE_OK;
}

swathe_status small_file_read(const struct memory *memory, const char *path, int64_t limit,
                              char **text, int64_t *size)
{
    *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* does not wait for a pipe's writer */
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? SWATHE_OK : refused("read", path);
    swathe_status status = read_open(memory, fd, path, limit, text, size);
    close(fd);
    return status;
}

/* Creates the directory of `path`, and its parent if that is missing, too. */
static void make_directories(const char *path)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    char *last = strrchr(directory, '/');
    if (!last || last == directory)
        return;
    *last = '\0';
    char *above = strrchr(directory, '/');
    if (mkdir(directory, 0700) == 0 || errno != ENOENT || !above || above == directory)
        return;
    *above = '\0';
    mkdir(directory, 0700);
    *above = '/';
    mkdir(directory, 0700);
}

static bool write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t part = write(fd, text, size);
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
    struct stat about;
    if (!realpath(path, target))
        snprintf(target, PATH_MAX, "%s", path);
    if (stat(target, &about) == 0 && !S_ISREG(about.st_mode))
        return fail(SWATHE_ERROR_IO,
                    "%s is not a regular file and will not be replaced; name another", path);
    return SWATHE_OK;
}

/* Creates an empty file beside `path`; `temporary` has PATH_MAX bytes. */
static swathe_status create_beside(const char *path, char *temporary, int *fd)
{
    if (snprintf(temporary, PATH_MAX, "%s.XXXXXX", path) >= PATH_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "%.60s...: the path is too long", path);
    make_directories(path);
    *fd = mkostemp(temporary, O_CLOEXEC);
    return *fd < 0 ? refused("write", path) : SWATHE_OK;
}

static swathe_status replace(const char *path, const char *text, size_t size)
{
    char temporary[PATH_MAX];
    int fd;
    TRY(create_beside(path, temporary, &fd));
    bool good = write_all(fd, text, size);
    int error = errno;
    if (close(fd) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && rename(temporary, path) == 0)
        return SWATHE_OK;
    errno = good ? errno : error;
    swathe_status status = refused("write", path);
    unlink(temporary);
    return status;
}

swathe_status small_file_replace(const char *path, const char *text, size_t size)
{
    char target[PATH_MAX];
    TRY(find_target(path, target));
    return replace(target, text, size);
}

swathe_status small_file_check(const char *path)
{
    char target[PATH_MAX], temporary[PATH_MAX];
    int fd;
    TRY(find_target(path, target));
    TRY(create_beside(target, temporary, &fd));
    close(fd);
    unlink(temporary);
    return SWATHE_OK;
}
