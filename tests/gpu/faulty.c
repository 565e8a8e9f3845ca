#include "faulty.h"

#include <stdio.h>
#include <string.h>

struct faulty faulty;
static const struct gpu_calls *inner;

/* True if queued work has not been waited for. A thread has one queue. */
static _Thread_local bool pending;

static swathe_status queued(swathe_status status)
{
    pending |= status == SWATHE_OK;
    return status;
}

static void freed(atomic_int *count)
{
    atomic_fetch_sub(count, 1);
    atomic_fetch_add(&faulty.early, pending);
}

static bool fails(void)
{
    long long call = atomic_fetch_add(&faulty.calls, 1) + 1;
    return faulty.at && (call == faulty.at || (faulty.forever && call > faulty.at));
}

#define FAIL_HERE(what)                                                                            \
    do {                                                                                           \
        if (fails())                                                                               \
            return fail(SWATHE_ERROR_IO, "planted failure of %s", what);                           \
    } while (0)

static swathe_status counted(swathe_status status, atomic_int *count)
{
    if (status == SWATHE_OK)
        atomic_fetch_add(count, 1);
    return status;
}

static void list(struct gpu_list *to)
{
    inner->list(to);
    if (!fails())
        return;
    memset(to, 0, sizeof *to);
    snprintf(to->note, sizeof to->note, "planted failure of list");
}

static swathe_status open_device(const struct memory *memory, int32_t index, void **device)
{
    FAIL_HERE("open");
    return counted(inner->open(memory, index, device), &faulty.devices);
}

static void close_device(void *device)
{
    atomic_fetch_sub(&faulty.devices, 1);
    inner->close(device);
}

static swathe_status compile(void *device, const char *source, const char *const *options,
                             int32_t count, struct gpu_binary *binary)
{
    FAIL_HERE("compile");
    return inner->compile(device, source, options, count, binary);
}

static swathe_status load(void *device, const struct gpu_binary *binary, const char *kernel,
                          const void *constant, int64_t size, void **program)
{
    FAIL_HERE("load");
    return counted(inner->load(device, binary, kernel, constant, size, program), &faulty.programs);
}

static void unload(void *device, void *program)
{
    atomic_fetch_sub(&faulty.programs, 1);
    inner->unload(device, program);
}

static int32_t group_most(void *device, void *program)
{
    return fails() ? 0 : inner->group_most(device, program);
}

static swathe_status new_buffer(void *device, int64_t bytes, void **buffer)
{
    FAIL_HERE("new_buffer");
    return counted(inner->new_buffer(device, bytes, buffer), &faulty.buffers);
}

static void free_buffer(void *device, void *buffer)
{
    freed(&faulty.buffers);
    inner->free_buffer(device, buffer);
}

static swathe_status new_host(void *device, int64_t bytes, void **host)
{
    FAIL_HERE("new_host");
    return counted(inner->new_host(device, bytes, host), &faulty.hosts);
}

static void free_host(void *device, void *host)
{
    freed(&faulty.hosts);
    inner->free_host(device, host);
}

static swathe_status new_queue(void *device, bool timed, void **queue)
{
    FAIL_HERE("new_queue");
    return counted(inner->new_queue(device, timed, queue), &faulty.queues);
}

static void free_queue(void *device, void *queue)
{
    atomic_fetch_sub(&faulty.queues, 1);
    inner->free_queue(device, queue); /* free_queue waits */
    pending = false;
}

static swathe_status upload(void *queue, void *buffer, int64_t offset, const void *host,
                            int64_t bytes)
{
    FAIL_HERE("upload");
    return queued(inner->upload(queue, buffer, offset, host, bytes));
}

static swathe_status download(void *queue, void *buffer, int64_t offset, void *host, int64_t bytes)
{
    FAIL_HERE("download");
    return queued(inner->download(queue, buffer, offset, host, bytes));
}

static swathe_status launch(void *queue, void *program, const struct gpu_launch *what)
{
    FAIL_HERE("launch");
    return queued(inner->launch(queue, program, what));
}

/* A finish call that fails has waited, too: drivers report earlier failures there. */
static swathe_status finish(void *queue)
{
    swathe_status status = inner->finish(queue);
    pending = false;
    FAIL_HERE("finish");
    return status;
}

static double launch_seconds(void *queue)
{
    return inner->launch_seconds(queue);
}

static const struct gpu_calls calls = {
    .list = list,
    .open = open_device,
    .close = close_device,
    .compile = compile,
    .load = load,
    .unload = unload,
    .group_most = group_most,
    .new_buffer = new_buffer,
    .free_buffer = free_buffer,
    .new_host = new_host,
    .free_host = free_host,
    .new_queue = new_queue,
    .free_queue = free_queue,
    .upload = upload,
    .download = download,
    .launch = launch,
    .finish = finish,
    .launch_seconds = launch_seconds,
};

bool faulty_install(const char *back_end)
{
    const struct gpu_back_end *found = gpu_back_end_named(back_end);
    if (!found)
        return false;
    inner = found->calls;
    gpu_back_end_wrap(back_end, &calls);
    return true;
}

void faulty_reset(long long at, bool forever)
{
    atomic_store(&faulty.calls, 0);
    faulty.at = at;
    faulty.forever = forever;
    faulty.early = 0;
}

bool faulty_clean(void)
{
    return faulty.devices == 0 && faulty.programs == 0 && faulty.buffers == 0 &&
           faulty.hosts == 0 && faulty.queues == 0 && faulty.early == 0;
}

bool faulty_happened(void)
{
    return faulty.at && atomic_load(&faulty.calls) >= faulty.at;
}
