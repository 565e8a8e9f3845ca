/* Streams that execute late: each has a thread that sleeps before every step, so that callers that
 * do not wait are detected. */
#ifndef TESTS_GPU_STANDIN_LATE_STREAM_H
#define TESTS_GPU_STANDIN_LATE_STREAM_H

#include "fibers.h"

#include <stddef.h>

struct late_stream;

struct late_step {
    struct late_step *next;
    void *to; /* a copy, if there is no launch */
    const void *from;
    size_t size;
    double *clock; /* instead: where the time is written, in seconds */
    void *module;  /* a launch: the handle of dlopen */
    struct fiber_launch launch;
};

struct late_stream *late_stream_new(void);
/* Copies the step; -1 if memory cannot be allocated. */
int late_stream_add(struct late_stream *stream, const struct late_step *step);
/* Waits for all steps. Returns 0, or -1 if a step failed. */
int late_stream_wait(struct late_stream *stream);
void late_stream_free(struct late_stream *stream);

#endif
