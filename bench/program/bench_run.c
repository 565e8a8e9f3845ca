#define _GNU_SOURCE /* mkdtemp, nftw, setenv */
#include "bench_run.h"

#include "terminal/message.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double seconds_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Drivers cache compiled programs. An empty cache makes the first call compile again. */
static int make_programs(struct bench_run *run)
{
    const char *folder = getenv("TMPDIR");
    snprintf(run->programs, sizeof run->programs, "%s/swathe-bench-XXXXXX",
             folder && *folder ? folder : "/tmp");
    if (!mkdtemp(run->programs)) {
        int error = errno;
        run->programs[0] = '\0';
        return complain(SWATHE_ERROR_IO,
                        "cannot create a temporary directory for compiled programs: %s; set "
                        "$TMPDIR to a writable directory",
                        strerror(error));
    }
    setenv("POCL_CACHE_DIR", run->programs, 0);
    setenv("CUDA_CACHE_DISABLE", "1", 0);
    return 0;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

swathe_status bench_run_context(const struct bench_run *run, swathe_context **context)
{
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    int32_t most = 1;
    for (int64_t i = 0; i < run->agenda.count; i++)
        if (run->agenda.results[i].contender.threads > most)
            most = run->agenda.results[i].contender.threads;
    o.threads = most;
    o.programs = run->programs;
    o.cached_plans = -1; /* `call` includes planning */
    return swathe_context_create(&o, context);
}

static int make_eviction(struct bench_run *run)
{
    if (!run->settings.cold)
        return 0;
    run->eviction_bytes = run->machine.cache_last > 0 ? 2 * run->machine.cache_last : 64 << 20;
    run->eviction = malloc((size_t)run->eviction_bytes);
    return run->eviction ? 0
                         : complain(SWATHE_ERROR_MEMORY, "not enough memory to flush the caches");
}

int bench_run_open(struct bench_run *run)
{
    run->start = clock_now();
    run->rng = (struct rng){run->settings.seed};
    run->wisdom = getenv("SWATHE_WISDOM") ? getenv("SWATHE_WISDOM") : "user's";
    machine_read(&run->machine);
    int code = make_programs(run);
    code = code != 0 ? code : make_eviction(run);
    if (code != 0)
        return code;
    swathe_status status = bench_run_context(run, &run->context);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

void bench_run_close(struct bench_run *run)
{
    swathe_context_destroy(run->context);
    free(run->eviction);
    if (run->programs[0] && nftw(run->programs, remove_entry, 8, FTW_DEPTH | FTW_PHYS) != 0)
        complain_system(errno, "cannot remove the temporary directory %s", run->programs);
}

void bench_run_evict(const struct bench_run *run)
{
    if (run->eviction)
        memset(run->eviction, 1, (size_t)run->eviction_bytes);
}
