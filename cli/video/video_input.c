#define _GNU_SOURCE /* pread and O_CLOEXEC beside C17 */
#include "video/video_input.h"

#include "interrupt.h"
#include "message.h"
#include "remote.h"
#include "video/y4m.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TICK = 100 }; /* ms between looks at `stop` while a pipe is empty */

/* ---- Is it a video? ------------------------------------------------------------------------- */

static bool starts_video(const uint8_t *bytes, size_t count)
{
    size_t magic = strlen(Y4M_MAGIC);
    return memcmp(bytes, Y4M_MAGIC, count < magic ? count : magic) == 0;
}

static bool file_is_video(struct video_input *input, const struct stat *info)
{
    uint8_t head[sizeof Y4M_MAGIC - 1];
    off_t base = lseek(input->fd, 0, SEEK_CUR);
    if (base < 0 || pread(input->fd, head, sizeof head, base) != (ssize_t)sizeof head)
        return false;
    input->size = info->st_size - base;
    return starts_video(head, sizeof head);
}

/* Reads as few bytes as it takes to find out. */
static bool pipe_is_video(struct video_input *input)
{
    size_t magic = strlen(Y4M_MAGIC);
    while (input->filled < magic) {
        ssize_t count = read(input->fd, input->buffer + input->filled, magic - input->filled);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false; /* whatever reads next finds the end or the error, too */
        input->filled += (size_t)count;
        if (!starts_video(input->buffer, input->filled))
            return false;
    }
    return true;
}

static bool is_named_y4m(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".y4m") == 0;
}

/* A named pipe would lose bytes that are read in order to look at them, so its name decides. */
static bool is_video(struct video_input *input, const char *path, bool standard)
{
    struct stat info;
    if (fstat(input->fd, &info) != 0)
        return false;
    if (S_ISREG(info.st_mode))
        return file_is_video(input, &info);
    if (!S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode))
        return false;
    return standard ? pipe_is_video(input) : is_named_y4m(path);
}

bool video_input_open(struct video_input *input, const char *path)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat info;
    *input = (struct video_input){.fd = -1, .name = path_read(path)};
    if (remote_is(path))
        return false;
    if (standard)
        input->fd = STDIN_FILENO;
    else if (stat(path, &info) == 0 && (S_ISREG(info.st_mode) || is_named_y4m(path)))
        input->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (input->fd >= 0 && is_video(input, path, standard))
        return true;
    video_input_close(input);
    return false;
}

void video_input_close(struct video_input *input)
{
    if (input->fd > STDERR_FILENO)
        close(input->fd);
    input->fd = -1;
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* Waits until there are bytes, or until another thread or a signal ends the run. */
static int wait_for_bytes(const struct video_input *input)
{
    struct pollfd from = {.fd = input->fd, .events = POLLIN};
    for (;;) {
        if (interrupt_caught())
            return EXIT_SIGNAL + interrupt_caught();
        if (input->stop && atomic_load(input->stop) != 0)
            return atomic_load(input->stop);
        int ready = poll(&from, 1, TICK);
        if (ready > 0)
            return 0;
        if (ready < 0 && errno != EINTR)
            return complain_system(errno, "%s: cannot wait for bytes", input->name);
    }
}

/* Reads at least one byte, except at the end. */
static int fetch(const struct video_input *input, void *bytes, size_t size, size_t *got)
{
    ssize_t count;
    int code = wait_for_bytes(input);
    if (code != 0)
        return code;
    do
        count = read(input->fd, bytes, size);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return complain_system(errno, "%s: cannot read", input->name);
    *got = (size_t)count;
    return 0;
}

static int fill(struct video_input *input)
{
    input->at = 0;
    return fetch(input, input->buffer, sizeof input->buffer, &input->filled);
}

int video_input_read(struct video_input *input, void *bytes, size_t size, size_t *got)
{
    size_t ready = input->filled - input->at, done = ready < size ? ready : size, more = 1;
    int code = 0;
    memcpy(bytes, input->buffer + input->at, done);
    input->at += done;
    for (; code == 0 && more > 0 && done < size; done += more) {
        more = 0;
        code = fetch(input, (uint8_t *)bytes + done, size - done, &more);
    }
    *got = done;
    return code;
}

int video_input_line(struct video_input *input, const char *what, char *line, size_t size,
                     size_t *length, bool *ended)
{
    int code = 0;
    *ended = false;
    for (*length = 0; *length < size; ++*length) {
        if (input->at == input->filled && (code = fill(input)) != 0)
            return code;
        if (input->at == input->filled) {
            *ended = *length == 0;
            return *ended ? 0
                          : complain(SWATHE_ERROR_INPUT, "%s: ends within %s", input->name, what);
        }
        line[*length] = (char)input->buffer[input->at++];
        if (line[*length] == '\n')
            return 0;
    }
    return complain(SWATHE_ERROR_LIMIT, "%s: %s has no end within %zu bytes", input->name, what,
                    size);
}
