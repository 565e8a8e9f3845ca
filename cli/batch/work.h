/* What a worker of a batch does: one image after the other. */
#ifndef SWATHE_CLI_BATCH_WORK_H
#define SWATHE_CLI_BATCH_WORK_H

#include "batch/failures.h"
#include "batch/journal.h"
#include "batch/plan_cache.h"
#include "batch/thread_share.h"

#include <stdatomic.h>

enum { WORK_TEXT = 4096 };

struct batch {
    const struct options *options; /* with an image's share of the memory */
    const struct thread_share *share;
    swathe_context *context;
    struct plan_cache plans;
    struct progress progress;
    struct list list;
    struct journal journal;
    atomic_llong next;        /* image to begin */
    atomic_llong over;        /* images that this run has done, or failed to do */
    atomic_llong first_pages; /* images that are done without their other pages */
    atomic_int stop;          /* exit code of what makes going on useless; 0: nothing does */

    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t ended;  /* by CLOCK_MONOTONIC */
    int32_t working;
    struct failures failures;
    char stop_text[WORK_TEXT];
};

struct worker {
    struct batch *batch;
    char text[WORK_TEXT]; /* of the last complaint */
    pthread_t thread;
};

/* Until no image is left, or something says stop. */
void work(struct worker *worker);

#endif
