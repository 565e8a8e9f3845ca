#define _GNU_SOURCE /* O_TMPFILE, renameat2 */
#include "io/new_file.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static swathe_status fail_create(const struct new_file *file, const char *doing)
{
    return fail_system(errno, "%s: %s", file->shown, doing);
}

/* ---- Its place ------------------------------------------------------------------------------ */

/* Splits the path at its last slash and opens the directory. */
static swathe_status open_directory(struct new_file *file, const char *path)
{
    size_t size = strlen(path) + 1;
    TRY(memory_new_raw(file->memory, (int64_t)size, 1, "a path", &file->directory));
    memcpy(file->directory, path, size);
    char *slash = strrchr(file->directory, '/');
    file->name = slash ? slash + 1 : file->directory;
    if (*file->name == '\0')
        return fail(SWATHE_ERROR_IO, "%s: names a directory, not a file", file->shown);
    const char *directory = slash == file->directory ? "/" : slash ? file->directory : ".";
    if (slash)
        *slash = '\0';
    file->directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file->directory_fd < 0) {
        text_clean(file->directory); /* it is not used any more */
        return fail_system(errno, "%s: its directory %s cannot be opened", file->shown, directory);
    }
    return SWATHE_OK;
}

/* Chooses six random characters, which other threads and processes are unlikely to choose. */
static void draw_name(struct new_file *file)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    uint8_t random[6];
    if (getrandom(random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random) {
        uint64_t mix = (uintptr_t)file ^ ((uint64_t)getpid() << 20);
        memcpy(random, &mix, sizeof random);
    }
    char name[] = ".swathe-XXXXXX";
    for (int i = 0; i < 6; i++)
        name[8 + i] = letters[random[i] % 32];
    memcpy(file->temporary, name, sizeof name);
}

enum { ATTEMPTS = 100 };

static int open_named(struct new_file *file)
{
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
static int open_unnamed(const struct new_file *file)
{
#if defined(O_TMPFILE) && !defined(OUTPUT_ONLY_NAMED) /* tests disable this */
    if (access("/proc/self/fd", X_OK) == 0)
        return openat(file->directory_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
#endif
    (void)file;
    return -1;
}

swathe_status new_file_open(struct new_file *file, const char *path, const struct stat *old)
{
    TRY(open_directory(file, path));
    file->fd = open_unnamed(file);
    if (file->fd < 0) {
        file->fd = open_named(file);
        if (file->fd < 0) {
            file->temporary[0] = '\0';
            return fail_create(file, "cannot create a file in its directory");
        }
    }
    if (old && fchmod(file->fd, old->st_mode & 0777) != 0 && errno != EPERM)
        return fail_create(file, "cannot set the permissions of the old file");
    return SWATHE_OK;
}

/* ---- Its name ------------------------------------------------------------------------------- */

/* Gives the unnamed file a name; EEXIST if the name exists already. */
static int link_unnamed(const struct new_file *file, const char *name)
{
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file->fd);
    return linkat(AT_FDCWD, self, file->directory_fd, name, AT_SYMLINK_FOLLOW);
}

static int link_temporary(struct new_file *file)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        draw_name(file);
        if (link_unnamed(file, file->temporary) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    file->temporary[0] = '\0';
    return -1;
}

/* Renames the temporary file, if the final name does not exist. */
static int rename_new(struct new_file *file)
{
#ifdef RENAME_NOREPLACE
    if (renameat2(file->directory_fd, file->temporary, file->directory_fd, file->name,
                  RENAME_NOREPLACE) == 0) {
        file->temporary[0] = '\0';
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
#endif
    /* new_file_close removes the temporary name. */
    return linkat(file->directory_fd, file->temporary, file->directory_fd, file->name, 0);
}

static int rename_over(struct new_file *file)
{
    if (!*file->temporary && link_temporary(file) != 0)
        return -1;
    if (renameat(file->directory_fd, file->temporary, file->directory_fd, file->name) != 0)
        return -1;
    file->temporary[0] = '\0';
    return 0;
}

swathe_status new_file_publish(struct new_file *file)
{
    if (!file->options->unsynced && fsync(file->fd) != 0)
        return fail_create(file, "cannot write");
    TRY(cancel_check(&file->options->cancel)); /* past this point the file appears */
    int failed = file->options->overwrite ? rename_over(file)
                 : *file->temporary       ? rename_new(file)
                                          : link_unnamed(file, file->name);
    if (failed)
        return errno == EEXIST ? new_file_exists(file)
                               : fail_create(file, "cannot give the new file its name");
    /* Some file systems do not support fsync for directories and return EINVAL. */
    if (!file->options->unsynced && fsync(file->directory_fd) != 0 && errno != EINVAL &&
        errno != EBADF)
        return fail_create(file, "cannot sync its directory");
    return SWATHE_OK;
}

swathe_status new_file_exists(const struct new_file *file)
{
    return fail_about(SWATHE_ERROR_ARGUMENT, "overwrite", "%s exists", file->shown);
}

void new_file_close(struct new_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    if (*file->temporary)
        unlinkat(file->directory_fd, file->temporary, 0);
    if (file->directory_fd >= 0)
        close(file->directory_fd);
    memory_free(file->memory, file->directory);
}
