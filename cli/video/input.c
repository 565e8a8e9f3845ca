#include "video/input.h"

#include "../../src/base/os_file.h"
#include "../../src/base/os_path.h"
#include "file/remote.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"
#include "video/y4m.h"

#include <errno.h>
#include <string.h>

enum { TICK = 100 }; /* ms between looks at `stop` while a pipe is empty */

/* Standard input may be a pipe that does not block, of which another process took the bytes. */
static bool is_passing(int number)
{
    return number == EINTR || number == EAGAIN || number == EWOULDBLOCK;
}

/* Waits until there are bytes, or until another thread or a signal ends the run. */
static int wait_for_bytes(const struct video_input *input)
{
    for (;;) {
        if (interrupt_caught())
            return EXIT_SIGNAL + interrupt_caught();
        if (input->stop && atomic_load(input->stop) != 0)
            return atomic_load(input->stop);
        int ready = os_wait(input->fd, OS_WAIT_READ, TICK);
        if (ready > 0)
            return 0;
        if (ready < 0 && errno != EINTR)
            return complain_system(errno, "%s: cannot wait for bytes", input->name);
    }
}

/* ---- Is it a video? ------------------------------------------------------------------------- */

static bool starts_video(const uint8_t *bytes, size_t count)
{
    size_t magic = strlen(Y4M_MAGIC);
    return memcmp(bytes, Y4M_MAGIC, count < magic ? count : magic) == 0;
}

/* Reads as few bytes as it takes to find out. A regular file starts at `base`; -1: a pipe, whose
 * bytes stay in the buffer. */
static int video_input_look_at(struct video_input *input, int64_t base, bool *is_video)
{
    size_t magic = strlen(Y4M_MAGIC), got = 0;
    while (got < magic && starts_video(input->buffer, got)) {
        void *to = input->buffer + got;
        int code = base < 0 ? wait_for_bytes(input) : 0;
        if (code != 0)
            return code;
        int64_t count = base < 0 ? os_read(input->fd, to, magic - got)
                                 : os_read_at(input->fd, to, magic - got, base + (int64_t)got);
        if (count < 0 && is_passing(errno))
            continue;
        if (count < 0)
            return complain_system(errno, "%s: cannot read", input->name);
        if (count == 0)
            break;
        got += (size_t)count;
    }
    *is_video = got == magic && starts_video(input->buffer, got);
    input->filled = base < 0 ? got : 0;
    return 0;
}

static int look_at_file(struct video_input *input, int64_t size, bool *is_video)
{
    int64_t base = os_tell(input->fd);
    if (base < 0)
        return complain_system(errno, "%s: cannot read", input->name);
    input->size = size - base;
    int code = video_input_look_at(input, base, is_video);
    if (code == 0 && os_seek(input->fd, base) < 0)
        return complain_system(errno, "%s: cannot read", input->name);
    return code;
}

static int video_input_look(struct video_input *input, bool *is_video)
{
    struct os_about about;
    if (os_about_open(input->fd, &about) != 0)
        return complain_system(errno, "%s: cannot read", input->name);
    if (about.kind == OS_REGULAR)
        return look_at_file(input, about.size, is_video);
    if (about.kind != OS_PIPE && about.kind != OS_OTHER) /* a socket */
        return 0;
    if (input->fd == STANDARD_INPUT)
        return video_input_look_at(input, -1, is_video);
    *is_video = true;
    return 0;
}

/* A named pipe is not opened unless its name says that it is a video, because its writer would lose
 * its reader when it is closed. */
static int video_input_open_path(struct video_input *input, const char *path)
{
    struct os_about about;
    if (os_about(path, &about) != 0)
        return complain_system(errno, "%s: cannot open", path);
    if (about.kind != OS_REGULAR && !y4m_is_name(path))
        return 0;
    input->fd = os_open_read(path);
    return input->fd < 0 ? complain_system(errno, "%s: cannot open", path) : 0;
}

int video_input_open(struct video_input *input, const char *path, bool *is_video)
{
    int code = 0;
    *is_video = false;
    *input = (struct video_input){.fd = -1, .name = path_read(path)};
    if (remote_is(path))
        return 0;
    if (strcmp(path, "-") == 0) {
        input->fd = STANDARD_INPUT;
        os_set_binary(STANDARD_INPUT);
    } else {
        code = video_input_open_path(input, path);
    }
    if (code == 0 && input->fd >= 0)
        code = video_input_look(input, is_video);
    if (!*is_video)
        video_input_close(input);
    return code;
}

void video_input_close(struct video_input *input)
{
    if (input->fd > STANDARD_ERROR)
        os_close(input->fd);
    input->fd = -1;
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* Reads at least one byte, except at the end. */
static int video_input_fetch(const struct video_input *input, void *bytes, size_t size, size_t *got)
{
    int64_t count;
    do {
        int code = wait_for_bytes(input);
        if (code != 0)
            return code;
        count = os_read(input->fd, bytes, size);
    } while (count < 0 && is_passing(errno));
    if (count < 0)
        return complain_system(errno, "%s: cannot read", input->name);
    *got = (size_t)count;
    return 0;
}

static int video_input_fill(struct video_input *input)
{
    input->at = 0;
    return video_input_fetch(input, input->buffer, sizeof input->buffer, &input->filled);
}

int video_input_read(struct video_input *input, void *bytes, size_t size, size_t *got)
{
    size_t ready = input->filled - input->at, done = ready < size ? ready : size, more = 1;
    int code = 0;
    memcpy(bytes, input->buffer + input->at, done);
    input->at += done;
    for (; code == 0 && more > 0 && done < size; done += more) {
        more = 0;
        code = video_input_fetch(input, (uint8_t *)bytes + done, size - done, &more);
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
        if (input->at == input->filled && (code = video_input_fill(input)) != 0)
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
