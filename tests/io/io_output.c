/* Output appears complete or not at all: names, replacing, permissions, refusals, and the bytes. */
#define _GNU_SOURCE /* setgroups */
#include "io/bytes/output.h"
#include "io_check.h"

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct output_options careful,
    replacing = {.overwrite = true}, unsynced = {.unsynced = true}, keep_link = {.nofollow = true},
    replace_link = {.overwrite = true, .nofollow = true};

static void expect(swathe_status got, swathe_status want, const char *text, const char *what)
{
    io_check(got == want && strstr(fail_text(), text), "%s: status %d (%s), expected %d with '%s'",
             what, (int)got, fail_text(), (int)want, text);
}

static swathe_status put_with(const char *path, const struct output_options *options,
                              const char *text)
{
    struct output *output;
    TRY(output_create(&memory_default, path, options, &output));
    swathe_status status = output_write(output, text, strlen(text));
    if (status == SWATHE_OK)
        status = output_commit(output);
    output_destroy(output);
    return status;
}

static swathe_status put(const char *path, bool overwrite, const char *text)
{
    return put_with(path, overwrite ? &replacing : &careful, text);
}

static bool holds(const char *path, const char *text)
{
    size_t size;
    uint8_t *bytes = io_load(path, &size);
    bool same = size == strlen(text) && memcmp(bytes, text, size) == 0;
    free(bytes);
    return same;
}

static int mode_of(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 ? (int)info.st_mode : -1;
}

/* ---- Names ---------------------------------------------------------------------------------- */

static void check_new(void)
{
    umask(027);
    expect(put(io_path("new"), false, "one"), SWATHE_OK, "", "new file");
    io_check(holds(io_path("new"), "one"), "new file has other bytes");
    io_check((mode_of(io_path("new")) & 07777) == 0640, "mode %o of a new file",
             (unsigned)mode_of(io_path("new")));
    io_check(io_count_files(io_folder()) == 1, "%d files instead of 1",
             io_count_files(io_folder()));
    umask(022);
}

static void check_unsynced(void)
{
    expect(put_with(io_path("loose"), &unsynced, "one"), SWATHE_OK, "", "unsynced");
    io_check(holds(io_path("loose"), "one"), "an unsynced file has other bytes");
    expect(put_with(io_path("loose"), &unsynced, "two"), SWATHE_ERROR_ARGUMENT, "loose exists",
           "unsynced, without overwrite");
    unlink(io_path("loose"));
}

static void check_discard(void)
{
    struct output *output;
    expect(output_create(&memory_default, io_path("gone"), &careful, &output), SWATHE_OK, "",
           "gone");
    io_check(output_write(output, "abc", 3) == SWATHE_OK, "gone: %s", fail_text());
    io_check(access(io_path("gone"), F_OK) != 0, "the name exists before commit");
    output_destroy(output);
    io_check(io_count_files(io_folder()) == 1, "a discarded file left other files");
}

static void check_replace(void)
{
    expect(put(io_path("new"), false, "two"), SWATHE_ERROR_ARGUMENT, "new exists",
           "without overwrite");
    io_check(holds(io_path("new"), "one"), "a refused write changed the file");
    chmod(io_path("new"), 0604);
    expect(put(io_path("new"), true, "three"), SWATHE_OK, "", "with overwrite");
    io_check(holds(io_path("new"), "three"), "overwrite did not replace");
    io_check((mode_of(io_path("new")) & 07777) == 0604, "overwrite changed the mode to %o",
             (unsigned)mode_of(io_path("new")));
    io_check(io_count_files(io_folder()) == 1, "overwrite left other files");
}

/* Another process creates the file while ours is being written. */
static void check_race(void)
{
    struct output *output;
    expect(output_create(&memory_default, io_path("raced"), &careful, &output), SWATHE_OK, "",
           "race");
    io_check(output_write(output, "ours", 4) == SWATHE_OK, "race: %s", fail_text());
    io_save(io_path("raced"), "theirs", 6);
    expect(output_commit(output), SWATHE_ERROR_ARGUMENT, "raced exists", "race");
    output_destroy(output);
    io_check(holds(io_path("raced"), "theirs"), "a file created meanwhile was replaced");
    io_check(io_count_files(io_folder()) == 2, "a file created meanwhile left other files");
}

static void check_link(void)
{
    io_check(symlink("new", io_path("link")) == 0, "no symbolic link");
    expect(put(io_path("link"), true, "four"), SWATHE_OK, "", "through a link");
    io_check(S_ISLNK(mode_of(io_path("link"))), "the link was replaced");
    io_check(holds(io_path("new"), "four"), "the target of the link was not replaced");
    unlink(io_path("link"));
}

/* The link itself counts as the existing file until the commit. */
static void check_nofollow(void)
{
    struct output *output;
    io_check(symlink("/dev/null", io_path("link")) == 0, "no symbolic link");
    expect(put_with(io_path("link"), &keep_link, "x"), SWATHE_ERROR_ARGUMENT, "link exists",
           "a link, without overwrite");
    expect(output_create(&memory_default, io_path("link"), &replace_link, &output), SWATHE_OK, "",
           "over a link");
    io_check(output_write(output, "abc", 3) == SWATHE_OK, "over a link: %s", fail_text());
    output_destroy(output);
    io_check(S_ISLNK(mode_of(io_path("link"))), "a discarded file replaced the link");
    expect(put_with(io_path("link"), &replace_link, "five"), SWATHE_OK, "", "over a link");
    io_check(mode_of(io_path("link")) == (S_IFREG | 0644), "mode %o instead of the link",
             (unsigned)mode_of(io_path("link")));
    io_check(holds(io_path("link"), "five"), "the file that replaced the link has other bytes");
    unlink(io_path("link"));
}

static void check_refusals(void)
{
    expect(put(io_folder(), true, "x"), SWATHE_ERROR_IO, "is a directory", "directory");
    expect(put(io_path("no/such/file"), false, "x"), SWATHE_ERROR_IO,
           "cannot be opened: No such file or directory", "missing folder");
    expect(put(io_path("new/file"), false, "x"), SWATHE_ERROR_IO, "Not a directory",
           "file as folder");
    expect(put(io_path("nothing/"), false, "x"), SWATHE_ERROR_IO, "names a directory",
           "trailing slash");
    expect(put("/dev/null", false, "x"), SWATHE_OK, "", "/dev/null");
    if (access("/dev/full", W_OK) == 0)
        expect(put("/dev/full", false, "x"), SWATHE_ERROR_IO,
               "/dev/full: cannot write: No space left on device", "/dev/full");
}

/* As a user without write permission there. */
static void check_read_only(void)
{
    char path[512];
    snprintf(path, sizeof path, "%s", io_path("denied"));
    chmod(io_folder(), 0555);
    pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
            _exit(77);
        swathe_status status = put(path, false, "x");
        _exit(status == SWATHE_ERROR_IO && strstr(fail_text(), "Permission denied") ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    chmod(io_folder(), 0755);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        printf("skipped: read-only directory (cannot become another user)\n");
    else
        io_check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "read-only directory not refused");
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

enum { MODEL = 1 << 20 };

struct model {
    uint8_t bytes[MODEL];
    size_t size, at;
};

static void write_both(struct output *output, struct model *model, uint64_t *random)
{
    static uint8_t chunk[MODEL];
    size_t most = io_random(random) % 8 ? 5000 : 400000;
    size_t size = io_random(random) % most, room = MODEL - model->at;
    size = size < room ? size : room;
    for (size_t i = 0; i < size; i++)
        chunk[i] = (uint8_t)io_random(random);
    io_check(output_write(output, chunk, size) == SWATHE_OK, "write: %s", fail_text());
    memcpy(model->bytes + model->at, chunk, size);
    model->at += size;
    model->size = model->at > model->size ? model->at : model->size;
}

static void read_both(struct output *output, struct model *model, uint64_t *random)
{
    static uint8_t chunk[MODEL];
    size_t got = 0, size = io_random(random) % 9000;
    size_t left = model->at < model->size ? model->size - model->at : 0;
    io_check(output_read(output, chunk, size, &got) == SWATHE_OK, "read: %s", fail_text());
    io_check(got == (size < left ? size : left), "read %zu bytes of %zu", got, size);
    io_check(memcmp(chunk, model->bytes + model->at, got) == 0, "read other bytes at %zu",
             model->at);
    model->at += got;
}

/* Random writes, seeks and reads, compared with an array. */
static void check_bytes(uint64_t seed)
{
    static struct model model;
    memset(&model, 0, sizeof model);
    struct output *output;
    uint64_t random = seed;
    expect(output_create(&memory_default, io_path("bytes"), &replacing, &output), SWATHE_OK, "",
           "bytes");
    io_check(output_make_seekable(output) == SWATHE_OK, "seekable: %s", fail_text());
    for (int i = 0; i < 300; i++) {
        uint32_t what = io_random(&random) % 4;
        if (what == 0) {
            model.at = io_random(&random) % (model.size + 1000) % MODEL;
            io_check(output_seek(output, (int64_t)model.at) == SWATHE_OK, "seek");
        } else if (what == 1)
            read_both(output, &model, &random);
        else
            write_both(output, &model, &random);
        io_check(output_tell(output) == (int64_t)model.at &&
                     output_size(output) == (int64_t)model.size,
                 "at %d of %d", (int)output_tell(output), (int)output_size(output));
    }
    expect(output_commit(output), SWATHE_OK, "", "bytes");
    output_destroy(output);
    size_t size;
    uint8_t *bytes = io_load(io_path("bytes"), &size);
    io_check(size == model.size && memcmp(bytes, model.bytes, size) == 0,
             "%zu bytes in the file, %zu expected", size, model.size);
    free(bytes);
}

int main(void)
{
    check_new();
    check_unsynced();
    check_discard();
    check_replace();
    check_race();
    check_link();
    check_nofollow();
    check_refusals();
    check_read_only();
    for (uint64_t seed = 1; seed <= 5; seed++)
        check_bytes(seed);
    io_folder_remove();
    return io_finish("io_output");
}
