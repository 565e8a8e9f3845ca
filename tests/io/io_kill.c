/* io_kill COUNT: a process that writes files is killed (SIGKILL) at random times. Under the final
 * name there is then no file or a complete image. */
#define _GNU_SOURCE /* usleep */
#include "io_check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 320, HEIGHT = 200, PICTURES = 2 };

static struct io_image pictures[PICTURES];
static int absent, present;

static void make_pictures(swathe_type type)
{
    swathe_shape shape = io_shape(WIDTH, HEIGHT, 3, type);
    for (int i = 0; i < PICTURES; i++) {
        io_image_free(&pictures[i]);
        pictures[i] = io_image_make(&shape, IO_DENSE);
        io_fill_smooth(&pictures[i].view, 40u * (uint32_t)i);
    }
}

/* Replaces the file repeatedly, or creates it once. */
static void write_until_killed(const struct codec *codec, const char *path, bool replace)
{
    swathe_write_options options = io_faithful(codec);
    options.overwrite = replace;
    for (int i = 0;; i++)
        if (io_write(path, &pictures[i % PICTURES].view, NULL, &options, 16) != SWATHE_OK ||
            !replace)
            _exit(replace);
}

static void check_file(const struct codec *codec, const char *path)
{
    char text[128];
    if (access(path, F_OK) != 0) {
        absent++;
        return;
    }
    struct io_image got;
    present++;
    if (!io_check(io_read(path, NULL, IO_DENSE, 0, &got) == SWATHE_OK, "partial %s file: %s",
                  codec->name, fail_text()))
        return;
    bool complete = false;
    for (int i = 0; i < PICTURES && !complete; i++)
        complete = io_equal(&pictures[i].view, &got.view, io_tolerance(codec), text, sizeof text);
    io_check(complete, "%s file with other pixels: %s", codec->name, text);
    io_image_free(&got);
}

static void kill_once(const struct codec *codec, bool replace, uint64_t *random)
{
    char path[512];
    snprintf(path, sizeof path, "%s", io_path(codec->name));
    if (!replace)
        unlink(path);
    pid_t child = fork();
    if (child == 0)
        write_until_killed(codec, path, replace);
    usleep(io_random(random) % (replace ? 30000 : 12000));
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    io_check(WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "%s: the writer failed", codec->name);
    check_file(codec, path);
}

int main(int argc, char **argv)
{
    io_only_paths(true);
    int count = argc > 1 ? atoi(argv[1]) : 200, kills = 0;
    uint64_t random = 7;
    while (kills < count)
        for (int i = 0; codec_at(i) && kills < count; i++) {
            swathe_shape shape = io_shape(WIDTH, HEIGHT, 3, SWATHE_U8);
            if (!codec_at(i)->built)
                continue;
            make_pictures(codec_holds(codec_at(i), &shape) ? SWATHE_U8 : SWATHE_F32);
            kill_once(codec_at(i), io_random(&random) % 2, &random);
            kills++;
        }
    for (int i = 0; i < PICTURES; i++)
        io_image_free(&pictures[i]);
    printf("%d kills: %d times no file, %d times a file; %d entries left in the directory\n", kills,
           absent, present, io_count_files(io_folder()));
    io_folder_remove();
    return io_finish("io_kill");
}
