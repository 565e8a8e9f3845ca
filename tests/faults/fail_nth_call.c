/* Makes one call of the C library fail, or all from there on: LD_PRELOAD=libfail_nth_call.so
 * PROGRAM
 *
 *     FAIL_KINDS=memory,read   kinds of calls to count: those of `kind_names`
 *     FAIL_AT=7                the call that fails, from 1; 0 only counts
 *     FAIL_FOREVER=1           every later call fails too
 *     FAIL_HOW=short           transfer less instead of failing; others: `how_names`
 *     FAIL_COUNT=FILE          the number of calls is written here when the program ends
 *
 * Calls are counted from the time this library is loaded. Calls inside the C library are not seen,
 * except its allocations. */
#undef _FILE_OFFSET_BITS /* open and open64 are different functions */
#undef _TIME_BITS
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { MEMORY, OPEN, READ, WRITE, SYNC, NAME, MAP, THREAD, STAT, KINDS };

static const char *const kind_names[KINDS] = {"memory", "open", "read",   "write", "sync",
                                              "name",   "map",  "thread", "stat"};
static const int kind_errors[KINDS] = {ENOMEM, EIO, EIO, EIO, EIO, EIO, ENOMEM, EAGAIN, EIO};

/* The last four are bugs that the checker must find. ALTER changes a byte that is read; LEAVE fails
 * and leaves an incomplete result, out.ppm. */
enum how { FAIL, SHORT, ALTER, LEAVE, CRASH, HANG, HOWS };

static const char *const how_names[HOWS] = {"fail", "short", "alter", "leave", "crash", "hang"};

static bool counted[KINDS];
static long fail_at;
static bool forever;
static enum how how;
static atomic_long calls;

/* ---- What to do ---------------------------------------------------------------------------------
 */

static bool listed(const char *list, const char *word)
{
    size_t size = strlen(word);
    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        if (strncmp(list, word, size) == 0 && (list[size] == ',' || list[size] == '\0'))
            return true;
    return false;
}

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

__attribute__((constructor)) static void read_settings(void)
{
    fail_at = strtol(setting("FAIL_AT"), NULL, 10);
    forever = strcmp(setting("FAIL_FOREVER"), "1") == 0;
    for (int i = 0; i < HOWS; i++)
        if (strcmp(setting("FAIL_HOW"), how_names[i]) == 0)
            how = (enum how)i;
    for (int i = 0; i < KINDS; i++)
        counted[i] = listed(setting("FAIL_KINDS"), kind_names[i]);
}

__attribute__((destructor)) static void write_count(void)
{
    memset(counted, 0, sizeof counted);
    int fd = open(setting("FAIL_COUNT"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0)
        return;
    dprintf(fd, "%ld\n", atomic_load(&calls));
    close(fd);
}

/* Set a breakpoint here to stop at the failing call. */
__attribute__((noinline)) void fail_now(void)
{
    if (how == CRASH)
        abort();
    while (how == HANG)
        pause();
    if (how == LEAVE)
        close(creat("out.ppm", 0644));
}

/* Counts a call; true if it must fail. */
static bool chosen(enum kind kind)
{
    if (!counted[kind])
        return false;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (fail_at == 0 || number < fail_at || (number > fail_at && !forever))
        return false;
    fail_now();
    errno = kind_errors[kind];
    return true;
}

/* Only transfers can be short or corrupted. */
static bool fails(enum kind kind)
{
    return chosen(kind) && (how == FAIL || how == LEAVE);
}

/* ---- The calls
 * ------------------------------------------------------------------------------------ */

/* Every thread finds the same function, so the order of their stores does not matter. */
#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, #name) /* the cast that POSIX documents */

/* NAME(PARAMETERS) calls the next NAME(ARGUMENTS), or returns FAILED. */
#define CALL(kind, type, name, parameters, arguments, failed)                                      \
    type name parameters                                                                           \
    {                                                                                              \
        NEXT(name);                                                                                \
        return fails(kind) ? (failed) : next arguments;                                            \
    }

/* open and similar functions take the mode only if they create a file; reading it is harmless
 * otherwise. */
#define CALL_OPEN(name, parameters, arguments)                                                     \
    int name parameters                                                                            \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        int mode = va_arg(list, int);                                                              \
        va_end(list);                                                                              \
        NEXT(name);                                                                                \
        return fails(OPEN) ? -1 : next arguments;                                                  \
    }

/* A transfer of SIZE bytes: SHORT transfers less, which is allowed and not a failure. */
#define CALL_TRANSFER(kind, name, parameters, arguments)                                           \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        NEXT(name);                                                                                \
        if (fd == STDERR_FILENO || !chosen(kind))                                                  \
            return next arguments;                                                                 \
        if (how != SHORT && how != ALTER)                                                          \
            return -1;                                                                             \
        if (how == SHORT && size > 1)                                                              \
            size = 1 + size / 3;                                                                   \
        ssize_t done = next arguments;                                                             \
        if (how == ALTER && kind == READ && done > 0)                                              \
            ((unsigned char *)(uintptr_t)bytes)[done / 2] ^= 1;                                    \
        return done;                                                                               \
    }

CALL(MEMORY, void *, malloc, (size_t size), (size), NULL)
CALL(MEMORY, void *, calloc, (size_t count, size_t size), (count, size), NULL)
CALL(MEMORY, void *, realloc, (void *old, size_t size), (old, size), NULL)
CALL(MEMORY, void *, reallocarray, (void *old, size_t n, size_t size), (old, n, size), NULL)
CALL(MEMORY, void *, aligned_alloc, (size_t edge, size_t size), (edge, size), NULL)
CALL(MEMORY, void *, memalign, (size_t edge, size_t size), (edge, size), NULL)
CALL(MEMORY, int, posix_memalign, (void **to, size_t edge, size_t size), (to, edge, size), ENOMEM)

CALL_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
CALL_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
CALL_OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
CALL_OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
CALL(OPEN, FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
CALL(OPEN, FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL)
CALL(OPEN, FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)
CALL(OPEN, DIR *, opendir, (const char *path), (path), NULL)

CALL_TRANSFER(READ, read, (int fd, void *bytes, size_t size), (fd, bytes, size))
CALL_TRANSFER(READ, pread, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at))
CALL_TRANSFER(READ, pread64, (int fd, void *bytes, size_t size, off64_t at), (fd, bytes, size, at))
CALL_TRANSFER(WRITE, write, (int fd, const void *bytes, size_t size), (fd, bytes, size))
CALL_TRANSFER(WRITE, pwrite, (int fd, const void *bytes, size_t size, off_t at),
              (fd, bytes, size, at))
CALL_TRANSFER(WRITE, pwrite64, (int fd, const void *bytes, size_t size, off64_t at),
              (fd, bytes, size, at))
CALL(WRITE, ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), -1)

CALL(SYNC, int, fsync, (int fd), (fd), -1)
CALL(SYNC, int, fdatasync, (int fd), (fd), -1)
CALL(SYNC, int, syncfs, (int fd), (fd), -1)

CALL(NAME, int, rename, (const char *from, const char *to), (from, to), -1)
CALL(NAME, int, renameat, (int f, const char *from, int t, const char *to), (f, from, t, to), -1)
CALL(NAME, int, renameat2, (int f, const char *from, int t, const char *to, unsigned flags),
     (f, from, t, to, flags), -1)
CALL(NAME, int, link, (const char *from, const char *to), (from, to), -1)
CALL(NAME, int, linkat, (int f, const char *from, int t, const char *to, int flags),
     (f, from, t, to, flags), -1)
CALL(NAME, int, unlink, (const char *path), (path), -1)
CALL(NAME, int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), -1)
CALL(NAME, int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
CALL(NAME, int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
CALL(NAME, int, ftruncate, (int fd, off_t size), (fd, size), -1)
CALL(NAME, int, ftruncate64, (int fd, off64_t size), (fd, size), -1)

CALL(MAP, void *, mmap, (void *at, size_t size, int prot, int flags, int fd, off_t from),
     (at, size, prot, flags, fd, from), MAP_FAILED)
CALL(MAP, void *, mmap64, (void *at, size_t size, int prot, int flags, int fd, off64_t from),
     (at, size, prot, flags, fd, from), MAP_FAILED)

CALL(THREAD, int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *state),
     (thread, attributes, run, state), EAGAIN)

CALL(STAT, int, stat, (const char *path, struct stat *to), (path, to), -1)
CALL(STAT, int, stat64, (const char *path, struct stat64 *to), (path, to), -1)
CALL(STAT, int, lstat, (const char *path, struct stat *to), (path, to), -1)
CALL(STAT, int, lstat64, (const char *path, struct stat64 *to), (path, to), -1)
CALL(STAT, int, fstat, (int fd, struct stat *to), (fd, to), -1)
CALL(STAT, int, fstat64, (int fd, struct stat64 *to), (fd, to), -1)
CALL(STAT, int, fstatat, (int folder, const char *path, struct stat *to, int flags),
     (folder, path, to, flags), -1)
CALL(STAT, off_t, lseek, (int fd, off_t to, int whence), (fd, to, whence), -1)
CALL(STAT, off64_t, lseek64, (int fd, off64_t to, int whence), (fd, to, whence), -1)
CALL(STAT, int, flock, (int fd, int operation), (fd, operation), -1)
CALL(STAT, char *, realpath, (const char *path, char *to), (path, to), NULL)
