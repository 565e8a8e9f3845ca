/* How images that run at the same time share the machine. */
#ifndef SWATHE_CLI_BATCH_THREAD_SHARE_H
#define SWATHE_CLI_BATCH_THREAD_SHARE_H

#include "options.h"

struct thread_share {
    int32_t threads;      /* --threads, or CPUs of the machine */
    int32_t workers;      /* images at a time */
    struct options own;   /* the options of the command, with one image's share of the memory */
    char memory_text[24]; /* that share, as an option's value */
};

void thread_share_make(const struct options *options, int64_t images, struct thread_share *share);

/* Threads for one image of `pixels` if `left` images have not been started. Small images get one:
 * dividing them costs more than it gains. Large images get one too while there are images for the
 * other workers, because not all of decoding and encoding can be divided. */
int32_t thread_share_threads(const struct thread_share *share, int64_t pixels, int64_t left);

#endif
