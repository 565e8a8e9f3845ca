/* Paths, and what they lead to. Functions that can fail return -1 and set errno, as in POSIX. Paths
 * are UTF-8 on Windows. Programs include this header, too. */
#ifndef SWATHE_BASE_OS_PATH_H
#define SWATHE_BASE_OS_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OS_PATH = 4096 }; /* the longest path, with its end */

/* The last separator of directories; NULL: none. */
const char *os_last_slash(const char *path);
/* True if the path does not depend on the current directory. */
bool os_is_absolute(const char *path);
/* Replaces separators that only this system has by slashes. */
void os_plain_slashes(char *path);
/* Resolves links; `real` has OS_PATH bytes. */
bool os_real_path(const char *path, char *real);

/* A variable of the environment; NULL if the process has more rights than its caller. Valid until
 * the fourth call after this one in the same thread. */
const char *os_environment(const char *name);
/* The user's directory for caches, and that for temporary files; false: there is none. */
bool os_cache_directory(char *path, size_t size);
bool os_temporary_directory(char *path, size_t size);
/* Calls `each` with the paths that match a pattern until it returns true. */
bool os_any_match(const char *pattern, bool (*each)(void *user, const char *path), void *user);

/* Calls `each` with the names in a directory, except "." and "..", in any order, until it returns
 * false. */
int os_each_name(const char *directory, bool (*each)(void *user, const char *name), void *user);

enum os_kind { OS_REGULAR, OS_DIRECTORY, OS_LINK, OS_PIPE, OS_CHARACTERS, OS_BLOCKS, OS_OTHER };

struct os_about {
    enum os_kind kind;
    unsigned permissions;
    int64_t size;
    int64_t modified, changed; /* ns since 1970: the contents, and anything else */
    uint64_t device, number;   /* together they identify a file */
};

int os_about(const char *path, struct os_about *about);
/* Does not follow a symbolic link. */
int os_about_link(const char *path, struct os_about *about);
int os_about_open(int fd, struct os_about *about);
bool os_exists(const char *path);
bool os_can_run(const char *path);
/* True if files can be created in the directory. */
bool os_can_create_in(const char *directory);
/* The target of a symbolic link, for messages. */
void os_link_target(const char *path, char *target, size_t size);

int os_make_directory(const char *path, bool only_for_user);
/* Replaces an existing file at once. */
int os_replace(const char *from, const char *to);
void os_remove(const char *path);

#endif
