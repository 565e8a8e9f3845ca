#define _GNU_SOURCE /* sched_getaffinity */
#include "batch/shares.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#define SMALL_PIXELS ((int64_t)4 << 20)

static int32_t cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int32_t)count : 1;
}

/* As the library counts it: half of what is free. */
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

void shares_make(const struct options *options, int64_t images, struct shares *shares)
{
    int64_t memory = options_size(options, OPTION_MAX_MEMORY);
    int32_t threads = (int32_t)options_count(options, OPTION_THREADS);
    threads = threads > 0 ? threads : cpus();
    shares->workers = images < threads ? (int32_t)(images > 0 ? images : 1) : threads;
    memory = (memory > 0 ? memory : usual_memory()) / shares->workers;
    snprintf(shares->memory_text, sizeof shares->memory_text, "%" PRId64, memory > 0 ? memory : 1);
    shares->threads = threads;
    shares->own = *options;
    shares->own.values[OPTION_MAX_MEMORY] = shares->memory_text;
}

int32_t shares_threads(const struct shares *shares, int64_t pixels, int64_t left)
{
    if (pixels < SMALL_PIXELS || left >= shares->workers)
        return 1;
    return shares->threads;
}
