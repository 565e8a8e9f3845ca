#define _GNU_SOURCE      /* O_TMPFILE, renameat2 */
#define _DARWIN_C_SOURCE /* F_FULLFSYNC */
#include "base/os_new_file.h"

#include "base/os_file.h"
#include "base/os_machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int named;

int os_new_files_named(void)
{
    return atomic_load(&named);
}

/* From now on until it is closed. */
static void count_named(struct os_new_file *file)
{
    if (!file->counted)
        atomic_fetch_add(&named, 1);
    file->counted = true;
}

/* Chooses six random characters, which other threads and processes are unlikely to choose. */
static void draw_name(struct os_new_file *file)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    uint8_t random[6];
    if (!os_random(random, sizeof random)) {
        uint64_t mix = (uintptr_t)file ^ ((uint64_t)getpid() << 20);
        memcpy(random, &mix, sizeof random);
    }
    char name[] = ".swathe-XXXXXX";
    for (int i = 0; i < 6; i++)
        name[8 + i] = letters[random[i] % 32];
    memcpy(file->temporary, name, sizeof name);
}

int os_new_file_place(struct os_new_file *file, const char *directory)
{
    file->directory_fd = os_open_directory(directory);
    return file->directory_fd < 0 ? -1 : 0;
}

enum { ATTEMPTS = 100 };

static int posix_new_file_open_named(struct os_new_file *file)
{
    count_named(file);
    for (int i = 0; i < ATTEMPTS; i++) {
        draw_name(file);
        int fd = openat(file->directory_fd, file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                        0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Opens a file without a name, of which nothing is left however the process ends. A name can only
 * be added through /proc. */
static int posix_new_file_open_unnamed(const struct os_new_file *file)
{
#if defined(O_TMPFILE) && !defined(OUTPUT_ONLY_NAMED) /* tests disable this */
    if (access("/proc/self/fd", X_OK) == 0)
        return openat(file->directory_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
#endif
    (void)file;
    return -1;
}

int os_new_file_create(struct os_new_file *file, const char *directory)
{
    (void)directory;
    file->fd = posix_new_file_open_unnamed(file);
    if (file->fd < 0) {
        file->fd = posix_new_file_open_named(file);
        if (file->fd < 0)
            file->temporary[0] = '\0';
    }
    return file->fd < 0 ? -1 : 0;
}

int os_new_file_permit(struct os_new_file *file, unsigned permissions)
{
    return fchmod(file->fd, (mode_t)permissions);
}

/* Gives the unnamed file a name; EEXIST if the name exists already. */
static int posix_new_file_link_unnamed(const struct os_new_file *file, const char *name)
{
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file->fd);
    return linkat(AT_FDCWD, self, file->directory_fd, name, AT_SYMLINK_FOLLOW);
}

static int link_temporary(struct os_new_file *file)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        draw_name(file);
        if (posix_new_file_link_unnamed(file, file->temporary) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    file->temporary[0] = '\0';
    return -1;
}

/* Renames the temporary file, if the final name does not exist. */
static int rename_new(struct os_new_file *file, const char *name)
{
#ifdef RENAME_NOREPLACE
    if (renameat2(file->directory_fd, file->temporary, file->directory_fd, name,
                  RENAME_NOREPLACE) == 0) {
        file->temporary[0] = '\0';
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
#endif
    /* os_new_file_close removes the temporary name. */
    return linkat(file->directory_fd, file->temporary, file->directory_fd, name, 0);
}

static int rename_over(struct os_new_file *file, const char *name)
{
    if (!*file->temporary && link_temporary(file) != 0)
        return -1;
    if (renameat(file->directory_fd, file->temporary, file->directory_fd, name) != 0)
        return -1;
    file->temporary[0] = '\0';
    return 0;
}

int os_new_file_publish(struct os_new_file *file, const char *directory, const char *name,
                        bool replace)
{
    (void)directory;
    count_named(file);
    return replace            ? rename_over(file, name)
           : *file->temporary ? rename_new(file, name)
                              : posix_new_file_link_unnamed(file, name);
}

/* Some file systems do not support fsync for directories and return EINVAL. */
int os_new_file_sync_name(const struct os_new_file *file)
{
    return os_sync(file->directory_fd) != 0 && errno != EINVAL && errno != EBADF ? -1 : 0;
}

void os_new_file_close(struct os_new_file *file, const char *directory)
{
    (void)directory;
    if (file->fd >= 0)
        os_close(file->fd);
    if (*file->temporary)
        unlinkat(file->directory_fd, file->temporary, 0);
    if (file->counted)
        atomic_fetch_sub(&named, 1);
    file->counted = false;
    if (file->directory_fd >= 0)
        os_close(file->directory_fd);
}
