/* What a video cannot do: options, and places to write to. */
#ifndef SWATHE_CLI_VIDEO_REFUSE_H
#define SWATHE_CLI_VIDEO_REFUSE_H

#include "commands/options.h"
#include "video/y4m.h"

/* Each returns 0, or the exit code after a message. */
int video_refuse_options(const struct options *options, const char *name);
int video_refuse_out(const char *out, const char *name);
/* Frames must fit the limits of memory and pixels. */
int video_refuse_size(const struct options *options, const struct y4m *y4m, const char *name);

#endif
