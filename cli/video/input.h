/* Reads a video from a file or a pipe, from start to end. Functions that return an exit code have
 * printed a message. */
#ifndef SWATHE_CLI_VIDEO_INPUT_H
#define SWATHE_CLI_VIDEO_INPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIDEO_INPUT_BUFFER = 1 << 16 };

struct video_input {
    int fd;            /* -1: not open */
    const char *name;  /* for messages */
    int64_t size;      /* of a regular file, from its position on; 0: unknown */
    atomic_int *stop;  /* not 0: reading fails at once, with this exit code; NULL: never */
    size_t at, filled; /* of the buffer */
    uint8_t buffer[VIDEO_INPUT_BUFFER];
};

/* Finds out whether the path names a video, which is then open. Bytes of standard input that are
 * read in order to find out, and that do not belong to a video, stay in the buffer. */
int video_input_open(struct video_input *input, const char *path, bool *is_video);
void video_input_close(struct video_input *input);

/* Reads `size` bytes; `got` is less only at the end. */
int video_input_read(struct video_input *input, void *bytes, size_t size, size_t *got);
/* Reads a line of fewer than `size` bytes; `length` is without its end. `ended`: there are no more
 * bytes. */
int video_input_line(struct video_input *input, const char *what, char *line, size_t size,
                     size_t *length, bool *ended);

#endif
