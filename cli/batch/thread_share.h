/* How images that run at the same time share the machine. */
#ifndef SWATHE_CLI_BATCH_THREAD_SHARE_H
#define SWATHE_CLI_BATCH_THREAD_SHARE_H

#include "options.h"

struct thread_share {
    int32_t threads;      /* of the machine, or --threads */
    int32_t workers;      /* images at a time */
    struct options own;   /* the call's, with each image's share of the memory */
    char memory_text[24]; /* that share, as an option's value */
};

void thread_share_make(const struct options *options, int64_t images, struct thread_share *share);

/* Threads for one image of `pixels`, when `left` images have not been begun. Small images have one:
 * cutting them up costs more than it gives. Large ones have one too as long as there are images for
 * the other workers, since decoding and encoding of one image cannot be cut up at all. */
int32_t thread_share_threads(const struct thread_share *share, int64_t pixels, int64_t left);

#endif
