/* Filters the frames of a video, several at a time, and writes them in order. */
#ifndef SWATHE_CLI_VIDEO_FRAMES_H
#define SWATHE_CLI_VIDEO_FRAMES_H

#include "terminal/progress.h"
#include "video/input.h"
#include "video/plans.h"

struct video_frames {
    swathe_context *context;
    const struct options *options;
    struct video_input *input;
    const struct y4m *y4m;
    const struct video_plans *plans;
    const swathe_writer *writer;
    const char *header; /* the first line, with its end */
    size_t header_size;
    struct progress *progress;
    int64_t written, bytes; /* of frames, after video_frames_run */
    swathe_clamped clamped; /* samples of these */
};

/* Returns 0, or the exit code after a message. A reader that closes the pipe early is not worth
 * one. Frames before the one that failed are written. */
int video_frames_run(struct video_frames *frames);

#endif
