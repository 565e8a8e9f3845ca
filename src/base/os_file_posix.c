#define _GNU_SOURCE      /* O_TMPFILE, mkostemp, syncfs, flock */
#define _DARWIN_C_SOURCE /* F_FULLFSYNC, flock */
#include "base/os_file.h"

#include "base/os_path.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- Opening -------------------------------------------------------------------------------- */

enum { AT_ONCE = 1 << 30 };

int os_open_read(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0)
        fcntl(fd, F_SETFL, 0);
    return fd;
}

int os_open_write(const char *path)
{
    return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

int os_open_append(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
}

int os_reopen_output(void)
{
#if defined(__linux__)
    return open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int os_create_unique(char *path)
{
    return mkostemp(path, O_CLOEXEC);
}

/* For file systems without unnamed files: creates a named file and unlinks it. */
static int open_unlinked(const char *directory)
{
    char path[OS_PATH];
    if (snprintf(path, sizeof path, "%s/swathe-XXXXXX", directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

int os_open_temporary(const char *directory)
{
    int fd = -1;
#ifdef O_TMPFILE
    fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    return fd < 0 ? open_unlinked(directory) : fd;
}

int os_close(int fd)
{
    return close(fd);
}

bool os_is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

bool os_is_terminal(int fd)
{
    return isatty(fd);
}

void os_set_binary(int fd)
{
    (void)fd;
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* macOS refuses more than 2 GiB at once. */
static size_t posix_file_piece(size_t size)
{
    return size < AT_ONCE ? size : AT_ONCE;
}

int64_t os_read(int fd, void *bytes, size_t size)
{
    return read(fd, bytes, posix_file_piece(size));
}

int64_t os_write(int fd, const void *bytes, size_t size)
{
    return write(fd, bytes, posix_file_piece(size));
}

int64_t os_read_at(int fd, void *bytes, size_t size, int64_t offset)
{
    return pread(fd, bytes, posix_file_piece(size), (off_t)offset);
}

int64_t os_write_at(int fd, const void *bytes, size_t size, int64_t offset)
{
    return pwrite(fd, bytes, posix_file_piece(size), (off_t)offset);
}

int64_t os_write_both(int fd, const void *first, size_t first_size, const void *second,
                      size_t second_size)
{
    struct iovec parts[2] = {{(void *)(uintptr_t)first, first_size},
                             {(void *)(uintptr_t)second, second_size}};
    return writev(fd, parts, 2);
}

int64_t os_tell(int fd)
{
    return lseek(fd, 0, SEEK_CUR);
}

int64_t os_seek(int fd, int64_t offset)
{
    return lseek(fd, offset, SEEK_SET);
}

int os_truncate(int fd, int64_t size)
{
    return ftruncate(fd, (off_t)size);
}

int os_wait(int fd, enum os_wait what, int ms)
{
    struct pollfd wanted = {.fd = fd, .events = what == OS_WAIT_READ ? POLLIN : POLLOUT};
    return poll(&wanted, 1, ms);
}

void os_pause(int ms)
{
    poll(NULL, 0, ms);
}

/* ---- The disk ------------------------------------------------------------------------------- */

bool os_is_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

/* macOS: fsync leaves the data in the cache of the drive. */
int os_sync(int fd)
{
#ifdef F_FULLFSYNC
    if (fcntl(fd, F_FULLFSYNC) == 0)
        return 0;
#endif
    return fsync(fd);
}

int os_sync_contents(int fd)
{
#if defined(__linux__)
    return fdatasync(fd);
#else
    return os_sync(fd);
#endif
}

#if defined(__linux__)
bool os_syncs_volumes(void)
{
    return true;
}

int os_sync_volume(int directory_fd)
{
    return syncfs(directory_fd);
}
#else
/* sync of other systems returns before the data are on the disk. */
bool os_syncs_volumes(void)
{
    return false;
}

int os_sync_volume(int directory_fd)
{
    return os_sync(directory_fd);
}
#endif

void os_sync_all(void)
{
    sync();
}

int os_open_directory(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int os_lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB);
}

int os_touch(int fd)
{
    return futimens(fd, NULL);
}

/* ---- stdio ---------------------------------------------------------------------------------- */

FILE *os_fopen(const char *path, const char *mode)
{
    return fopen(path, mode);
}

FILE *os_open_copy(int fd)
{
    int copy = dup(fd);
    FILE *from = copy < 0 ? NULL : fdopen(copy, "rb");
    if (from)
        rewind(from); /* both share a position */
    else if (copy >= 0)
        close(copy);
    return from;
}

int64_t os_read_line(char **line, size_t *room, FILE *from)
{
    return getline(line, room, from);
}

void os_memory_open(struct os_memory_file *file)
{
    *file = (struct os_memory_file){0};
    file->to = open_memstream(&file->text, &file->size);
}

bool os_memory_close(struct os_memory_file *file)
{
    bool lost = ferror(file->to) != 0;
    return fclose(file->to) == 0 && !lost && file->text;
}
