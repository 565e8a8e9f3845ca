/* Streams whose work is done late: each by a thread of its own that dawdles before every step, so
 * that whoever does not wait is caught. */
#ifndef TESTS_GPU_STANDIN_LATE_STREAM_H
#define TESTS_GPU_STANDIN_LATE_STREAM_H

#include "fibers.h"

#include <stddef.h>

struct late_stream;

struct late_step {
    struct late_step *next;
    void *to; /* a copy, where there is no launch */
    const void *from;
    size_t size;
    void *module; /* a launch: of dlopen */
    struct fiber_launch launch;
};

struct late_stream *late_stream_new(void);
/* Takes a copy of the step; -1 where there is no memory. */
int late_stream_add(struct late_stream *stream, const struct late_step *step);
/* Until nothing is left to do. Gives 0, or -1 where a step failed. */
int late_stream_wait(struct late_stream *stream);
void late_stream_free(struct late_stream *stream);

#endif
