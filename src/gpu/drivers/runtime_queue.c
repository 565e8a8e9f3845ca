#include "gpu/drivers/runtime.h"

#include "gpu/kernels/device_task.h"

#include <inttypes.h>

enum { NON_BLOCKING = 1, MOST_THREADS = 0 }; /* the same numbers in CUDA and HIP */

enum { LAUNCHES_TIMED = 64 }; /* at a time */

/* Launches of a timed queue have an event before and one after them. */
struct runtime_queue {
    const struct runtime_device *device;
    void *stream;
    bool timed;
    void *events[LAUNCHES_TIMED][2]; /* NULL: not created yet */
    int32_t pending;                 /* launches whose durations are not added up yet */
    double seconds;
};

struct runtime_program {
    void *module, *function;
};

/* Makes the device's context current; runtime_queue_leave() restores the thread's previous context.
 */
static swathe_status runtime_queue_enter(const struct runtime_device *device, int *before)
{
    return runtime_check(device->runtime, "entering the device",
                         device->runtime->enter(device, before));
}

static swathe_status runtime_queue_leave(const struct runtime_device *device, int before,
                                         swathe_status status)
{
    device->runtime->leave(device, before);
    return status;
}

swathe_status runtime_new_buffer(void *handle, int64_t bytes, void **buffer)
{
    const struct runtime_device *device = handle;
    void *got = NULL;
    int before;
    TRY(failure_if_too_large(bytes, &device->info));
    TRY(runtime_queue_enter(device, &before));
    TRY(runtime_queue_leave(device, before,
                            RUNTIME_CALL(device->runtime, new_buffer, &got, (size_t)bytes)));
    *buffer = got;
    return SWATHE_OK;
}

void runtime_free_buffer(void *handle, void *buffer)
{
    const struct runtime_device *device = handle;
    int before;
    if (runtime_queue_enter(device, &before) == SWATHE_OK) {
        device->runtime->api.free_buffer(buffer);
        device->runtime->leave(device, before);
    }
}

swathe_status runtime_new_host(void *handle, int64_t bytes, void **host)
{
    const struct runtime_device *device = handle;
    void *got = NULL;
    int before;
    TRY(runtime_queue_enter(device, &before));
    TRY(runtime_queue_leave(device, before,
                            RUNTIME_CALL(device->runtime, new_host, &got, (size_t)bytes, 0)));
    *host = got;
    return SWATHE_OK;
}

void runtime_free_host(void *handle, void *host)
{
    const struct runtime_device *device = handle;
    int before;
    if (runtime_queue_enter(device, &before) == SWATHE_OK) {
        device->runtime->api.free_host(host);
        device->runtime->leave(device, before);
    }
}

swathe_status runtime_new_queue(void *handle, bool timed, void **queue)
{
    const struct runtime_device *device = handle;
    struct runtime_queue *got;
    int before;
    TRY(memory_new(device->memory, 1, sizeof *got, "a queue", &got));
    got->device = device;
    got->timed = timed;
    swathe_status status = runtime_queue_enter(device, &before);
    if (status == SWATHE_OK)
        status = runtime_queue_leave(
            device, before, RUNTIME_CALL(device->runtime, new_stream, &got->stream, NON_BLOCKING));
    if (status == SWATHE_OK)
        *queue = got;
    else
        memory_free(device->memory, got);
    return status;
}

void runtime_free_queue(void *handle, void *old)
{
    const struct runtime_device *device = handle;
    struct runtime_queue *queue = old;
    int before;
    if (runtime_queue_enter(device, &before) == SWATHE_OK) {
        device->runtime->api.finish(queue->stream); /* the caller frees host memory next, which the
                                                     * stream may still use */
        for (int i = 0; i < LAUNCHES_TIMED; i++)
            for (int k = 0; k < 2; k++)
                if (queue->events[i][k])
                    device->runtime->api.free_event(queue->events[i][k]);
        device->runtime->api.free_stream(queue->stream);
        device->runtime->leave(device, before);
    }
    memory_free(device->memory, queue);
}

swathe_status runtime_upload(void *handle, void *buffer, int64_t offset, const void *host,
                             int64_t bytes)
{
    const struct runtime_queue *queue = handle;
    int before;
    TRY(runtime_queue_enter(queue->device, &before));
    return runtime_queue_leave(queue->device, before,
                               RUNTIME_CALL(queue->device->runtime, upload, (char *)buffer + offset,
                                            host, (size_t)bytes, queue->stream));
}

swathe_status runtime_download(void *handle, void *buffer, int64_t offset, void *host,
                               int64_t bytes)
{
    const struct runtime_queue *queue = handle;
    int before;
    TRY(runtime_queue_enter(queue->device, &before));
    return runtime_queue_leave(queue->device, before,
                               RUNTIME_CALL(queue->device->runtime, download, host,
                                            (char *)buffer + offset, (size_t)bytes, queue->stream));
}

/* Waits for the queue, and adds up the durations of its launches. */
static swathe_status runtime_queue_wait(struct runtime_queue *queue)
{
    const struct runtime *runtime = queue->device->runtime;
    int32_t pending = queue->pending;
    queue->pending = 0;
    TRY(RUNTIME_CALL(runtime, finish, queue->stream));
    for (int32_t i = 0; i < pending; i++) {
        float ms = 0;
        TRY(RUNTIME_CALL(runtime, elapsed, &ms, queue->events[i][0], queue->events[i][1]));
        queue->seconds += ms * 1e-3;
    }
    return SWATHE_OK;
}

/* Records the event before (0) or after (1) the next launch. */
static swathe_status runtime_queue_record(struct runtime_queue *queue, int which)
{
    const struct runtime *runtime = queue->device->runtime;
    if (!queue->timed)
        return SWATHE_OK;
    if (which == 0 && queue->pending == LAUNCHES_TIMED)
        TRY(runtime_queue_wait(queue));
    void **event = &queue->events[queue->pending][which];
    if (!*event)
        TRY(RUNTIME_CALL(runtime, new_event, event, 0));
    TRY(RUNTIME_CALL(runtime, record, *event, queue->stream));
    queue->pending += which;
    return SWATHE_OK;
}

static swathe_status runtime_queue_start(struct runtime_queue *queue, void *function,
                                         const struct gpu_launch *launch, void **arguments)
{
    unsigned grid[3], group[3];
    for (int k = 0; k < 3; k++) {
        grid[k] = (unsigned)launch->grid[k];
        group[k] = (unsigned)launch->group[k];
    }
    TRY(runtime_queue_record(queue, 0));
    TRY(RUNTIME_CALL(queue->device->runtime, launch, function, grid[0], grid[1], grid[2], group[0],
                     group[1], group[2], (unsigned)launch->local_bytes, queue->stream, arguments,
                     NULL));
    return runtime_queue_record(queue, 1);
}

swathe_status runtime_launch(void *handle, void *loaded, const struct gpu_launch *launch)
{
    struct runtime_queue *queue = handle;
    const struct runtime_program *program = loaded;
    struct gpu_launch at = *launch; /* the driver takes arguments by address */
    struct gpu_task task = *launch->task;
    void **more = at.planes; /* kernels without planes ignore them */
    void *arguments[] = {&at.in, &at.out,  &at.taps, &at.rows, &at.columns, &task,
                         more,   more + 1, more + 2, more + 3, more + 4,    more + 5};
    int before;
    TRY(runtime_queue_enter(queue->device, &before));
    return runtime_queue_leave(queue->device, before,
                               runtime_queue_start(queue, program->function, &at, arguments));
}

swathe_status runtime_finish(void *handle)
{
    struct runtime_queue *queue = handle;
    int before;
    TRY(runtime_queue_enter(queue->device, &before));
    return runtime_queue_leave(queue->device, before, runtime_queue_wait(queue));
}

double runtime_launch_seconds(void *handle)
{
    return ((const struct runtime_queue *)handle)->seconds;
}

/* Copies through a temporary queue: a plain copy may still be in progress when the call returns. */
static swathe_status runtime_queue_send(void *handle, void *to, const void *constant, int64_t size)
{
    void *queue = NULL;
    TRY(runtime_new_queue(handle, false, &queue));
    swathe_status status = runtime_upload(queue, to, 0, constant, size);
    if (status == SWATHE_OK)
        status = runtime_finish(queue);
    runtime_free_queue(handle, queue);
    return status;
}

static swathe_status runtime_queue_find(const struct runtime *runtime,
                                        const struct gpu_binary *binary, const char *kernel,
                                        int64_t size, struct runtime_program *program, void **mask)
{
    size_t available = 0;
    TRY(RUNTIME_CALL(runtime, load, &program->module, binary->data));
    TRY(RUNTIME_CALL(runtime, function, &program->function, program->module, kernel));
    if (size == 0)
        return SWATHE_OK;
    TRY(RUNTIME_CALL(runtime, global, mask, &available, program->module, "mask"));
    if (available < (size_t)size)
        return fail(SWATHE_ERROR_INTERNAL,
                    "the program has %zu bytes of constant memory, its taps need %" PRId64,
                    available, size);
    return SWATHE_OK;
}

swathe_status runtime_load(void *handle, const struct gpu_binary *binary, const char *kernel,
                           const void *constant, int64_t size, void **program)
{
    const struct runtime_device *device = handle;
    struct runtime_program *got;
    void *mask = NULL;
    int before;
    TRY(memory_new(device->memory, 1, sizeof *got, "a program", &got));
    swathe_status status = runtime_queue_enter(device, &before);
    if (status == SWATHE_OK)
        status = runtime_queue_leave(
            device, before, runtime_queue_find(device->runtime, binary, kernel, size, got, &mask));
    if (status == SWATHE_OK && size > 0)
        status = runtime_queue_send(handle, mask, constant, size);
    if (status != SWATHE_OK) {
        runtime_unload(handle, got);
        return status;
    }
    *program = got;
    return SWATHE_OK;
}

void runtime_unload(void *handle, void *loaded)
{
    const struct runtime_device *device = handle;
    struct runtime_program *program = loaded;
    int before;
    if (program->module && runtime_queue_enter(device, &before) == SWATHE_OK) {
        device->runtime->api.unload(program->module);
        device->runtime->leave(device, before);
    }
    memory_free(device->memory, program);
}

int32_t runtime_group_most(void *handle, void *loaded)
{
    const struct runtime_device *device = handle;
    const struct runtime_program *program = loaded;
    int before, most = 0;
    if (runtime_queue_enter(device, &before) != SWATHE_OK)
        return 0;
    int error = device->runtime->api.function_limit(&most, MOST_THREADS, program->function);
    device->runtime->leave(device, before);
    return error ? 0 : most;
}
