/* A worker of a batch filters one image after another. */
#ifndef SWATHE_CLI_BATCH_WORK_H
#define SWATHE_CLI_BATCH_WORK_H

#include "batch/failures.h"
#include "batch/journal.h"
#include "batch/thread_share.h"
#include "file/file_job.h"

#include <stdatomic.h>

enum { WORK_TEXT = 4096 };

struct batch {
    const struct options *options; /* limited to one image's share of the memory */
    const struct thread_share *share;
    swathe_context *context;
    const swathe_chain *chain;
    struct progress progress;
    struct list list;
    struct journal journal;
    atomic_llong next;        /* next image to start */
    atomic_llong over;        /* images that this run finished, including failures */
    atomic_llong first_pages; /* images of which only the first page or frame was written */
    atomic_int stop;          /* exit code of an error that stops the batch; 0: none */

    pthread_mutex_t mutex; /* protects all fields below */
    pthread_cond_t ended;  /* its timeouts use CLOCK_MONOTONIC */
    int32_t working;
    struct failures failures;
    char stop_text[WORK_TEXT];
};

struct worker {
    struct batch *batch;
    char text[WORK_TEXT]; /* of the last message */
    pthread_t thread;
};

/* Runs until no image is left or the batch is stopped. */
void work(struct worker *worker);

#endif
