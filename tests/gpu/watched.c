#define _GNU_SOURCE /* nanosleep */
#include "watched.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct watched watched;
static const struct gpu_calls *inner;
static struct gpu_calls calls;

/* Bits of enum watched_part. A thread has one queue. */
static _Thread_local unsigned pending;

static void note(char what)
{
    size_t used = strlen(watched.order);
    if (used + 1 < WATCHED_ORDER)
        watched.order[used] = what;
}

static swathe_status new_host(void *device, int64_t bytes, void **host)
{
    atomic_fetch_add(&watched.hosts, 1);
    return inner->new_host(device, bytes, host);
}

/* The bytes of a copy if the caller's memory contains them, otherwise 0. */
static int64_t direct(int which, const void *host, int64_t bytes)
{
    const char *from = watched.caller[which], *at = host;
    return from && at >= from && at + bytes <= from + watched.caller_bytes ? bytes : 0;
}

static swathe_status upload(void *queue, void *buffer, int64_t offset, const void *host,
                            int64_t bytes)
{
    atomic_fetch_add(&watched.bytes_up, bytes);
    atomic_fetch_add(&watched.direct_up, direct(0, host, bytes));
    pending |= 1u << WATCHED_UPLOAD;
    note('u');
    return inner->upload(queue, buffer, offset, host, bytes);
}

static swathe_status download(void *queue, void *buffer, int64_t offset, void *host, int64_t bytes)
{
    atomic_fetch_add(&watched.bytes_down, bytes);
    atomic_fetch_add(&watched.direct_down, direct(1, host, bytes));
    atomic_fetch_add(&watched.downloads, 1);
    pending |= 1u << WATCHED_DOWNLOAD;
    note('d');
    return inner->download(queue, buffer, offset, host, bytes);
}

static swathe_status launch(void *queue, void *program, const struct gpu_launch *what)
{
    atomic_fetch_add(&watched.launches, 1);
    note('l');
    for (int k = 0; k < 3; k++) {
        watched.grid[k] = what->grid[k];
        watched.group[k] = what->group[k];
    }
    if (!getenv("SWATHE_PLANT")) /* planted bug: kernels are not waited for */
        pending |= 1u << WATCHED_KERNELS;
    return inner->launch(queue, program, what);
}

static void sleep_for(double seconds)
{
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (seconds > 0.0 && nanosleep(&left, &left) != 0)
        continue;
}

static swathe_status finish(void *queue)
{
    atomic_fetch_add(&watched.finishes, 1);
    if (pending & (pending - 1))
        atomic_fetch_add(&watched.mixed, 1);
    for (int part = 0; part < WATCHED_PARTS; part++)
        if (pending & 1u << part)
            sleep_for(watched.delay[part]);
    pending = 0;
    return inner->finish(queue);
}

bool watched_install(const char *back_end)
{
    const struct gpu_back_end *found = gpu_back_end_named(back_end);
    if (!found)
        return false;
    inner = found->calls;
    calls = *inner;
    calls.new_host = new_host;
    calls.upload = upload;
    calls.download = download;
    calls.launch = launch;
    calls.finish = finish;
    gpu_back_end_wrap(back_end, &calls);
    return true;
}

void watched_reset(void)
{
    memset(&watched, 0, sizeof watched);
}
