#define _GNU_SOURCE      /* secure_getenv */
#define _DARWIN_C_SOURCE /* issetugid, nanoseconds of times */
#include "base/os_path.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *os_last_slash(const char *path)
{
    return strrchr(path, '/');
}

bool os_is_absolute(const char *path)
{
    return *path == '/';
}

void os_plain_slashes(char *path)
{
    (void)path;
}

bool os_real_path(const char *path, char *real)
{
    return realpath(path, real) != NULL;
}

/* ---- Directories of the user ---------------------------------------------------------------- */

const char *os_environment(const char *name)
{
#if defined(__APPLE__)
    return issetugid() ? NULL : getenv(name);
#else
    return secure_getenv(name);
#endif
}

bool os_cache_directory(char *path, size_t size)
{
    const char *cache = os_environment("XDG_CACHE_HOME"), *home = os_environment("HOME");
    int length = 0;
    if (cache && *cache == '/') /* the XDG specification ignores relative paths */
        length = snprintf(path, size, "%s", cache);
    else if (home && *home == '/')
        length = snprintf(path, size, "%s/.cache", home);
    return length > 0 && (size_t)length < size;
}

bool os_temporary_directory(char *path, size_t size)
{
    const char *directory = os_environment("TMPDIR");
    int length = snprintf(path, size, "%s", directory && *directory ? directory : "/tmp");
    return (size_t)length < size;
}

bool os_any_match(const char *pattern, bool (*each)(void *user, const char *path), void *user)
{
    glob_t found;
    bool good = false;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && !good; i++)
            good = each(user, found.gl_pathv[i]);
    globfree(&found);
    return good;
}

int os_each_name(const char *directory, bool (*each)(void *user, const char *name), void *user)
{
    DIR *open = opendir(directory);
    const struct dirent *entry;
    bool more = true;
    if (!open)
        return -1;
    while (more && (errno = 0, entry = readdir(open)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            more = each(user, entry->d_name);
    int error = more ? errno : 0;
    closedir(open);
    errno = error;
    return error ? -1 : 0;
}

/* ---- Properties ----------------------------------------------------------------------------- */

static enum os_kind posix_path_kind_of(mode_t mode)
{
    return S_ISREG(mode)    ? OS_REGULAR
           : S_ISDIR(mode)  ? OS_DIRECTORY
           : S_ISLNK(mode)  ? OS_LINK
           : S_ISFIFO(mode) ? OS_PIPE
           : S_ISCHR(mode)  ? OS_CHARACTERS
           : S_ISBLK(mode)  ? OS_BLOCKS
                            : OS_OTHER;
}

static int64_t posix_path_nanoseconds(const struct timespec *time)
{
    return time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
}

static int posix_path_describe(int failed, const struct stat *found, struct os_about *about)
{
    if (failed)
        return -1;
#if defined(__APPLE__)
    const struct timespec *modified = &found->st_mtimespec, *changed = &found->st_ctimespec;
#else
    const struct timespec *modified = &found->st_mtim, *changed = &found->st_ctim;
#endif
    *about = (struct os_about){
        .kind = posix_path_kind_of(found->st_mode),
        .permissions = found->st_mode & 0777,
        .size = found->st_size,
        .modified = posix_path_nanoseconds(modified),
        .changed = posix_path_nanoseconds(changed),
        .device = (uint64_t)found->st_dev,
        .number = found->st_ino,
    };
    return 0;
}

int os_about(const char *path, struct os_about *about)
{
    struct stat found;
    return posix_path_describe(stat(path, &found), &found, about);
}

int os_about_link(const char *path, struct os_about *about)
{
    struct stat found;
    return posix_path_describe(lstat(path, &found), &found, about);
}

int os_about_open(int fd, struct os_about *about)
{
    struct stat found;
    return posix_path_describe(fstat(fd, &found), &found, about);
}

bool os_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool os_can_run(const char *path)
{
    return access(path, X_OK) == 0;
}

bool os_can_create_in(const char *directory)
{
    return access(directory, W_OK | X_OK) == 0;
}

void os_link_target(const char *path, char *target, size_t size)
{
    ssize_t length = readlink(path, target, size - 1);
    target[length < 0 ? 0 : length] = '\0';
}

/* ---- Changes -------------------------------------------------------------------------------- */

int os_make_directory(const char *path, bool only_for_user)
{
    return mkdir(path, only_for_user ? 0700 : 0777);
}

int os_replace(const char *from, const char *to)
{
    return rename(from, to);
}

void os_remove(const char *path)
{
    unlink(path);
}
