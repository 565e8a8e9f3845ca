/* A batch: its state, the workers that filter one image after another, and who starts them. */
#ifndef SWATHE_CLI_BATCH_BATCH_H
#define SWATHE_CLI_BATCH_BATCH_H

#include "batch/journal.h"
#include "commands/options.h"
#include "file/file_job.h"

#include <stdatomic.h>
#include <stdint.h>

enum { FAILURES_SHOWN = 20, WORK_TEXT = 4096 };

/* Failed images: their number, and the reasons of the first ones. Not thread-safe: the caller holds
 * a lock. */
struct failures {
    char *texts[FAILURES_SHOWN];
    int64_t count;
};

void failures_add(struct failures *failures, const char *text);
/* Prints to standard error. */
void failures_print(const struct failures *failures);
void failures_free(struct failures *failures);

/* How images that run at the same time share the machine. */
struct thread_share {
    int32_t threads;      /* --threads, or CPUs of the machine */
    int32_t workers;      /* images at a time */
    struct options own;   /* the options of the command, with one image's share of the memory */
    char memory_text[24]; /* that share, as an option's value */
};

void thread_share_make(const struct options *options, int64_t images, struct thread_share *share);

/* Number of threads for one image of `pixels` if `left` images have not been started. Small images
 * get one thread, because dividing them takes longer than it saves. Large images get one, too, as
 * long as there are images for the other workers, because decoding and encoding cannot be divided
 * completely. */
int32_t thread_share_threads(const struct thread_share *share, int64_t pixels, int64_t left);

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

/* It filters one image after another. */
struct worker {
    struct batch *batch;
    char text[WORK_TEXT]; /* of the last message */
    pthread_t thread;
};

/* Runs until no image is left or the batch is stopped. */
void work(struct worker *worker);

/* Starts workers that filter the `left` remaining images of the list, shows the progress, and syncs
 * the results. Returns 0, or the exit code after a message if
 * the batch ends early. Failed images are in batch->failures. */
int schedule_run(struct batch *batch, int64_t left);

#endif
