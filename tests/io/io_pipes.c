/* Standard input and output ("-"), as pipes and as redirected files: the same bytes and pixels as
 * with a path. */
#define _GNU_SOURCE /* pipe2 */
#include "io_check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 150, HEIGHT = 130, HEAD_MOST = 5000 };

/* Copies from one descriptor to another, in small parts. */
static void pump(int from, int to)
{
    char bytes[777];
    for (ssize_t got; (got = read(from, bytes, sizeof bytes)) > 0;)
        if (write(to, bytes, (size_t)got) != got)
            break;
}

/* A process at the other end of a pipe that writes a file into it, or reads it into a file. */
static pid_t start_pump(const char *path, bool feed, int *end)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        exit(EXIT_FAILURE);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int file = feed ? open(path, O_RDONLY) : open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        close(ends[feed ? 0 : 1]);
        pump(feed ? file : ends[0], feed ? ends[1] : file);
        _exit(0);
    }
    *end = ends[feed ? 0 : 1];
    close(ends[feed ? 1 : 0]);
    return child;
}

static int swap_descriptor(int with, int standard)
{
    fflush(stdout);
    int saved = dup(standard);
    dup2(with, standard);
    close(with);
    return saved;
}

static void restore(int saved, int standard)
{
    dup2(saved, standard);
    close(saved);
}

static swathe_status write_piped(const char *path, const swathe_image *image,
                                 const swathe_write_options *options)
{
    int end;
    pid_t child = start_pump(path, false, &end);
    int saved = swap_descriptor(end, STDOUT_FILENO);
    swathe_status status = io_write("-", image, NULL, options, 32);
    restore(saved, STDOUT_FILENO);
    waitpid(child, NULL, 0);
    return status;
}

/* With the first `head_size` bytes read by the caller. */
static swathe_status read_piped(const char *path, size_t head_size, struct io_image *image)
{
    int end;
    uint8_t head[HEAD_MOST];
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    pid_t child = start_pump(path, true, &end);
    int saved = swap_descriptor(end, STDIN_FILENO);
    for (ssize_t got = 1; options.head_size < head_size && got > 0;
         options.head_size += (size_t)got)
        got = read(STDIN_FILENO, head + options.head_size, head_size - options.head_size);
    options.head = head;
    swathe_status status = io_read("-", &options, IO_DENSE, 7, image);
    restore(saved, STDIN_FILENO);
    waitpid(child, NULL, 0);
    return status;
}

/* Redirected from a file whose first bytes another process has read. */
static swathe_status read_redirected(const char *path, struct io_image *image)
{
    size_t size;
    uint8_t *bytes = io_load(path, &size);
    FILE *file = fopen(io_path("shifted"), "wb");
    if (!file || fwrite("prefix", 1, 6, file) != 6 || fwrite(bytes, 1, size, file) != size ||
        fclose(file) != 0)
        exit(EXIT_FAILURE);
    free(bytes);
    int shifted = open(io_path("shifted"), O_RDONLY);
    lseek(shifted, 6, SEEK_SET);
    int saved = swap_descriptor(shifted, STDIN_FILENO);
    swathe_status status = io_read("-", NULL, IO_DENSE, 7, image);
    restore(saved, STDIN_FILENO);
    return status;
}

static void check_same(const struct codec *codec, const char *how, swathe_status status,
                       const swathe_image *want, struct io_image *got)
{
    char text[128];
    if (!io_check(status == SWATHE_OK, "%s %s: %s", codec->name, how, fail_text()))
        return;
    io_check(io_equal(want, &got->view, io_tolerance(codec), text, sizeof text), "%s %s: %s",
             codec->name, how, text);
    io_image_free(got);
}

static void check_codec(const struct codec *codec)
{
    swathe_shape shape = io_shape(WIDTH, HEIGHT, 3, SWATHE_U8);
    if (!codec_holds(codec, &shape))
        shape.type = SWATHE_F32;
    struct io_image image = io_image_make(&shape, IO_DENSE), got;
    io_fill_smooth(&image.view, 2);
    swathe_write_options options = io_faithful(codec);
    io_check(io_write(io_path("named"), &image.view, NULL, &options, 32) == SWATHE_OK, "%s: %s",
             codec->name, fail_text());
    io_check(write_piped(io_path("piped"), &image.view, &options) == SWATHE_OK, "%s: %s",
             codec->name, fail_text());
    io_check(io_same_files(io_path("named"), io_path("piped")), "%s: other bytes through a pipe",
             codec->name);
    check_same(codec, "from a pipe", read_piped(io_path("named"), 0, &got), &image.view, &got);
    check_same(codec, "with a head", read_piped(io_path("named"), 10, &got), &image.view, &got);
    check_same(codec, "with a long head", read_piped(io_path("named"), HEAD_MOST, &got),
               &image.view, &got);
    check_same(codec, "redirected", read_redirected(io_path("named"), &got), &image.view, &got);
    io_image_free(&image);
}

/* No reader: an error, not a signal, if the caller ignores the signal. */
static void check_broken_pipe(const struct codec *codec)
{
    int ends[2];
    swathe_shape shape = io_shape(800, 800, 3, SWATHE_F32);
    if (codec_holds(codec, &shape) == false)
        shape.type = SWATHE_U8;
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = io_faithful(codec);
    io_fill_smooth(&image.view, 4);
    if (pipe2(ends, O_CLOEXEC) != 0)
        exit(EXIT_FAILURE);
    close(ends[0]);
    int saved = swap_descriptor(ends[1], STDOUT_FILENO);
    swathe_status status = io_write("-", &image.view, NULL, &options, 32);
    restore(saved, STDOUT_FILENO);
    io_check(status == SWATHE_ERROR_IO && strstr(fail_text(), "standard output: cannot write"),
             "%s into a broken pipe: status %d, %s", codec->name, (int)status, fail_text());
    io_image_free(&image);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; codec_at(i); i++)
        if (codec_at(i)->built) {
            check_codec(codec_at(i));
            check_broken_pipe(codec_at(i));
        }
    io_folder_remove();
    return io_finish("io_pipes");
}
