#define _GNU_SOURCE /* mkdtemp, setenv */
#include "lab.h"

#include "message.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double read_clock(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double lab_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double lab_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* Drivers keep compiled programs of their own; a first call is the first only without them. */
static int make_programs(struct lab *lab)
{
    const char *folder = getenv("TMPDIR");
    snprintf(lab->programs, sizeof lab->programs, "%s/swathe-bench-XXXXXX",
             folder && *folder ? folder : "/tmp");
    if (!mkdtemp(lab->programs)) {
        int error = errno;
        lab->programs[0] = '\0';
        return complain(SWATHE_ERROR_IO,
                        "no temporary folder for compiled programs: %s; name one in $TMPDIR",
                        strerror(error));
    }
    setenv("POCL_CACHE_DIR", lab->programs, 0);
    setenv("CUDA_CACHE_DISABLE", "1", 0);
    return 0;
}

static bool remove_tree(const char *path, int depth)
{
    DIR *folder = depth < 8 ? opendir(path) : NULL;
    struct dirent *entry;
    char inside[4096];
    while (folder && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) < (int)sizeof inside &&
            unlink(inside) != 0)
            remove_tree(inside, depth + 1);
    }
    if (folder)
        closedir(folder);
    return rmdir(path) == 0;
}

swathe_status lab_context(const struct lab *lab, swathe_context **context)
{
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    int32_t most = 1;
    for (int64_t i = 0; i < lab->agenda.count; i++)
        if (lab->agenda.rows[i].contender.threads > most)
            most = lab->agenda.rows[i].contender.threads;
    o.threads = most;
    o.programs = lab->programs;
    return swathe_context_create(&o, context);
}

static int make_eviction(struct lab *lab)
{
    if (!lab->settings.cold)
        return 0;
    lab->eviction_bytes = lab->machine.cache_last > 0 ? 2 * lab->machine.cache_last : 64 << 20;
    lab->eviction = malloc((size_t)lab->eviction_bytes);
    return lab->eviction ? 0 : complain(SWATHE_ERROR_MEMORY, "no memory to empty the caches with");
}

int lab_open(struct lab *lab)
{
    lab->start = lab_now();
    lab->rng = (struct rng){lab->settings.seed};
    lab->wisdom = getenv("SWATHE_WISDOM") ? getenv("SWATHE_WISDOM") : "user's";
    machine_read(&lab->machine);
    int code = make_programs(lab);
    code = code != 0 ? code : make_eviction(lab);
    if (code != 0)
        return code;
    swathe_status status = lab_context(lab, &lab->context);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

void lab_close(struct lab *lab)
{
    swathe_context_destroy(lab->context);
    free(lab->eviction);
    if (lab->programs[0] && !remove_tree(lab->programs, 0))
        complain(SWATHE_ERROR_IO, "%s: left behind: %s", lab->programs, strerror(errno));
}

void lab_warn(struct lab *lab, const char *format, ...)
{
    va_list arguments;
    if (lab->warning_count == LAB_WARNINGS)
        return;
    va_start(arguments, format);
    vsnprintf(lab->warnings[lab->warning_count++], LAB_TEXT, format, arguments);
    va_end(arguments);
}

void lab_evict(const struct lab *lab)
{
    if (lab->eviction)
        memset(lab->eviction, 1, (size_t)lab->eviction_bytes);
}

int64_t lab_memory(const struct lab *lab)
{
    return lab->machine.memory > 0 ? lab->machine.memory / 2 : (int64_t)4 << 30;
}
