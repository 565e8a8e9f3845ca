/* A disk of 1 MiB that becomes full: the write fails with an I/O error, and the directory is
 * unchanged. */
#define _GNU_SOURCE /* unshare */
#include "io_check.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

enum { SKIPPED = 77 };

static bool put_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return done;
}

/* Without root privileges: as root of a user namespace, if the system allows it. */
static bool become_root(void)
{
    char users[64], groups[64];
    snprintf(users, sizeof users, "0 %u 1", (unsigned)getuid());
    snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getgid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && put_text("/proc/self/uid_map", users) &&
           put_text("/proc/self/setgroups", "deny") && put_text("/proc/self/gid_map", groups);
}

/* In a separate mount namespace, so that nothing is left mounted. */
static bool mount_small(const char *folder)
{
    if (unshare(CLONE_NEWNS) != 0 && !become_root())
        return false;
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", folder, "tmpfs", 0, "size=1m") == 0;
}

/* 1.4 MiB of noise does not fit in any format. */
static struct io_image large_image(const struct codec *codec)
{
    swathe_shape shape = io_shape(1200, 1200, 1, SWATHE_U8);
    if (!codec_holds(codec, &shape))
        shape.type = SWATHE_F32;
    struct io_image image = io_image_make(&shape, IO_DENSE);
    io_fill_noise(&image.view, 11);
    return image;
}

static void check_codec(const struct codec *codec, const char *folder)
{
    char path[512];
    struct io_image image = large_image(codec);
    swathe_write_options options = io_faithful(codec);
    snprintf(path, sizeof path, "%s/new", folder);
    swathe_status status = io_write(path, &image.view, NULL, &options, 64);
    io_check(status == SWATHE_ERROR_IO && strstr(fail_text(), strerror(ENOSPC)),
             "%s on a full disk: status %d, %s", codec->name, (int)status, fail_text());
    io_check(io_count_files(folder) == 0, "%s left %d files on a full disk", codec->name,
             io_count_files(folder));

    snprintf(path, sizeof path, "%s/old", folder);
    io_save(path, "precious", 8);
    status = io_write(path, &image.view, NULL, &options, 64);
    io_check(status == SWATHE_ERROR_IO, "%s replaced a file on a full disk: %s", codec->name,
             fail_text());
    size_t size;
    uint8_t *bytes = io_load(path, &size);
    io_check(size == 8 && memcmp(bytes, "precious", 8) == 0, "%s damaged the old file",
             codec->name);
    free(bytes);
    unlink(path);
    io_image_free(&image);
}

static swathe_status take_bytes(void *user, const void *bytes, size_t count)
{
    (void)user;
    (void)bytes;
    (void)count;
    return SWATHE_OK;
}

/* The temporary file of an output that seeks: the error names its directory, and the variable that
 * chooses another. */
static void check_temporary(const struct codec *codec, const char *folder)
{
    struct io_image image = large_image(codec);
    swathe_shape shape = view_shape(&image.view);
    swathe_write_options options = io_faithful(codec);
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    swathe_sink *sink = NULL;
    writer.write = take_bytes;
    setenv("TMPDIR", folder, 1);
    swathe_status status =
        file_create_writer(&memory_default, 1 << 28, &writer, &shape, NULL, &options, &sink);
    if (status == SWATHE_OK)
        status = sink->write(sink->user, &image.view);
    if (status == SWATHE_OK)
        status = file_commit(sink);
    io_check(status == SWATHE_OK || (status == SWATHE_ERROR_IO && strstr(fail_text(), folder) &&
                                     strstr(fail_text(), "TMPDIR")),
             "%s, a full temporary directory: status %d, %s", codec->name, (int)status,
             fail_text());
    bool seeks = strcmp(codec->name, "bmp") == 0 || strcmp(codec->name, "pfm") == 0;
    io_check(!seeks || status == SWATHE_ERROR_IO, "%s: status %d", codec->name, (int)status);
    file_discard(sink);
    io_image_free(&image);
}

int main(void)
{
    io_only_paths(true);
    const char *folder = io_folder();
    if (!mount_small(folder)) {
        printf("skipped: cannot mount a small file system here (%s)\n", strerror(errno));
        rmdir(folder);
        return SKIPPED;
    }
    for (int i = 0; codec_at(i); i++)
        if (codec_at(i)->built) {
            check_codec(codec_at(i), folder);
            check_temporary(codec_at(i), folder);
        }
    umount(folder);
    io_folder_remove();
    return io_finish("io_full_disk");
}
