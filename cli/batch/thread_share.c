#define _GNU_SOURCE /* sched_getaffinity */
#include "batch/thread_share.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES_EACH = 4 }; /* most files that a worker has open, plus one */
#define SMALL_PIXELS ((int64_t)4 << 20)

static int32_t cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int32_t)count : 1;
}

int32_t thread_share_count(const struct options *options)
{
    int32_t threads = (int32_t)options_count(options, OPTION_THREADS);
    return threads > 0 ? threads : cpus();
}

/* The library's default: half of the free memory. */
static int64_t usual_memory(void)
{
    int64_t kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNd64, &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib > 0 ? kib * 512 : (int64_t)1 << 29;
}

int64_t thread_share_memory(const struct options *options)
{
    int64_t memory = options_size(options, OPTION_MAX_MEMORY);
    return memory > 0 ? memory : usual_memory();
}

/* The number of workers that can have their files open. Raises the limit on open files as far as
 * possible and reserves the share of two workers for the batch itself. */
static int32_t most_workers(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return INT32_MAX;
    rlim_t before = files.rlim_cur;
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0)
        files.rlim_cur = before;
    rlim_t most = files.rlim_cur / FILES_EACH;
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
