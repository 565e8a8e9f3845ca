/* How images that run at the same time share the machine. */
#ifndef SWATHE_CLI_BATCH_THREAD_SHARE_H
#define SWATHE_CLI_BATCH_THREAD_SHARE_H

#include "commands/options.h"

struct thread_share {
    int32_t threads;      /* --threads, or CPUs of the machine */
    int32_t workers;      /* images at a time */
    struct options own;   /* the options of the command, with one image's share of the memory */
    char memory_text[24]; /* that share, as an option's value */
};

/* --threads, or CPUs of the machine. */
int32_t thread_share_count(const struct options *options);
/* --max-memory, or half of the free memory. */
int64_t thread_share_memory(const struct options *options);

void thread_share_make(const struct options *options, int64_t images, struct thread_share *share);

/* Number of threads for one image of `pixels` if `left` images have not been started. Small images
 * get one thread, because dividing them takes longer than it saves. Large images get one, too, as
 * long as there are images for the other workers, because decoding and encoding cannot be divided
 * completely. */
int32_t thread_share_threads(const struct thread_share *share, int64_t pixels, int64_t left);

#endif
