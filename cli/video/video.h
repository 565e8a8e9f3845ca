/* Filters a video: every plane of every frame is an image of its own. */
#ifndef SWATHE_CLI_VIDEO_VIDEO_H
#define SWATHE_CLI_VIDEO_VIDEO_H

#include "commands/options.h"
#include "terminal/progress.h"
#include "video/input.h"
#include "video/y4m.h"

/* The plans of a video: one for each size of its planes, used for all frames. */
struct video_plans {
    swathe_plan *plans[Y4M_PLANES]; /* NULL: the plane is copied; equal ones belong to the first */
    swathe_type type;
    int highest;           /* value of a sample */
    int64_t scratch_bytes; /* per thread, of the largest plan */
};

/* Plans the chain for each plane, and refuses what a video cannot store. On failure prints a
 * message and returns the exit code; the plans must be destroyed in either case. */
int video_plans_make(swathe_context *context, const struct options *options,
                     const swathe_chain *chain, const struct y4m *y4m, const char *name,
                     struct video_plans *plans);
void video_plans_destroy(struct video_plans *plans);

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

/* Filters the frames, several at a time, and writes them in order. Returns 0, or the exit code
 * after a message. A reader that closes the pipe early is not worth one. Frames before the one that
 * failed are written. */
int video_frames_run(struct video_frames *frames);

struct video_job {
    swathe_context *context;
    const struct options *options;
    const swathe_chain *chain;
    struct video_input *input;
    const char *out;
    struct progress *progress;
};

/* Returns 0, or the exit code after a message. Stores how many results were clamped. */
int video_apply(const struct video_job *job, swathe_clamped *clamped);

#endif
