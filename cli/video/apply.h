/* Filters a video: every plane of every frame is an image of its own. */
#ifndef SWATHE_CLI_VIDEO_APPLY_H
#define SWATHE_CLI_VIDEO_APPLY_H

#include "commands/options.h"
#include "terminal/progress.h"
#include "video/input.h"

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
