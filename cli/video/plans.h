/* The plans of a video: one for each size of its planes, used for all frames. */
#ifndef SWATHE_CLI_VIDEO_PLANS_H
#define SWATHE_CLI_VIDEO_PLANS_H

#include "commands/options.h"
#include "video/y4m.h"

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

#endif
