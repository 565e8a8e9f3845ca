#include "batch/thread_share.h"

#include "../../src/base/os_machine.h"

#include <inttypes.h>
#include <stdio.h>

enum { FILES_EACH = 4 }; /* most files that a worker has open, plus one */
#define SMALL_PIXELS ((int64_t)4 << 20)

int32_t thread_share_count(const struct options *options)
{
    int32_t threads = (int32_t)options_count(options, OPTION_THREADS);
    return threads > 0 ? threads : os_cpu_count();
}

int64_t thread_share_memory(const struct options *options)
{
    int64_t memory = options_size(options, OPTION_MAX_MEMORY);
    return memory > 0 ? memory : os_memory_default();
}

/* The number of workers that can have their files open. Raises the limit on open files as far as
 * possible and reserves the share of two workers for the batch itself. */
static int32_t most_workers(void)
{
    int64_t most = os_most_files() / FILES_EACH;
    return most > INT32_MAX ? INT32_MAX : most > 3 ? (int32_t)most - 2 : 1;
}

void thread_share_make(const struct options *options, int64_t images, struct thread_share *share)
{
    int32_t threads = thread_share_count(options);
    int32_t most = most_workers();
    share->workers = threads < most ? threads : most;
    if (images < share->workers)
        share->workers = images > 0 ? (int32_t)images : 1;
    int64_t memory = thread_share_memory(options) / share->workers;
    snprintf(share->memory_text, sizeof share->memory_text, "%" PRId64, memory > 0 ? memory : 1);
    share->threads = threads;
    share->own = *options;
    share->own.values[OPTION_MAX_MEMORY] = share->memory_text;
}

int32_t thread_share_threads(const struct thread_share *share, int64_t pixels, int64_t left)
{
    if (pixels < SMALL_PIXELS || left >= share->workers)
        return 1;
    return share->threads;
}
