/* The lines of a YUV4MPEG2 stream (Y4M): one that describes the video, and one before each frame.
 * Functions that return an exit code have printed a message, which starts with `name`. */
#ifndef SWATHE_CLI_VIDEO_Y4M_H
#define SWATHE_CLI_VIDEO_Y4M_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define Y4M_MAGIC "YUV4MPEG2"
enum { Y4M_LINE = 4096, Y4M_PLANES = 4 };

/* How a kind of video stores its samples. */
struct y4m_kind {
    int planes;
    int across, down; /* luma samples for each chroma sample */
    int bits;         /* of a sample; more than 8: stored in two bytes, the lower one first */
};

struct y4m_plane {
    int64_t width, height;
    int64_t offset, bytes; /* in a frame */
};

struct y4m {
    struct y4m_kind kind;
    struct y4m_plane planes[Y4M_PLANES];
    int64_t width, height;
    int64_t frame_bytes; /* without the line before it */
    char fields;         /* order of its fields: 'p' progressive, '?' unknown, 't', 'b' or 'm' */
};

/* Does the path end with .y4m? */
bool y4m_is_name(const char *path);
/* Parses the first line, of `length` bytes without its end. */
int y4m_parse(const char *line, size_t length, const char *name, struct y4m *y4m);
/* Checks the line before a frame. */
int y4m_check_frame(const char *line, size_t length, const char *name, int64_t number);

/* The highest of the samples of two bytes in `bytes` bytes, as Y4M stores them: the lower byte
 * first. */
int frame_samples_highest(const void *samples, int64_t bytes);
/* Converts the stored order to this machine's, or back. */
void frame_samples_order(void *samples, int64_t bytes);

#endif
