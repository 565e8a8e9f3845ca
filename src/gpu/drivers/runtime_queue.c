#include "gpu/drivers/runtime.h"

#include "gpu/kernels/device_task.h"

#include <inttypes.h>

enum { NON_BLOCKING = 1, MOST_THREADS = 0 }; /* the same numbers in CUDA and HIP */

struct runtime_queue {
    const struct runtime_device *device;
    void *stream;
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

swathe_status runtime_new_queue(void *handle, void **queue)
{
    const struct runtime_device *device = handle;
    struct runtime_queue *got;
    int before;
    TRY(memory_new(device->memory, 1, sizeof *got, "a queue", &got));
    got->device = device;
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

swathe_status runtime_launch(void *handle, void *loaded, const struct gpu_launch *launch)
{
    const struct runtime_queue *queue = handle;
    const struct runtime_program *program = loaded;
    struct gpu_launch at = *launch; /* the driver takes arguments by address */
    struct gpu_task task = *launch->task;
    void **more = at.planes; /* kernels without planes ignore them */
    void *arguments[] = {&at.in, &at.out,  &at.taps, &at.rows, &at.columns, &task,
                         more,   more + 1, more + 2, more + 3, more + 4,    more + 5};
    unsigned grid[3], group[3];
    int before;
    for (int k = 0; k < 3; k++) {
        grid[k] = (unsigned)launch->grid[k];
        group[k] = (unsigned)launch->group[k];
    }
    TRY(runtime_queue_enter(queue->device, &before));
    return runtime_queue_leave(queue->device, before,
                               RUNTIME_CALL(queue->device->runtime, launch, program->function,
                                            grid[0], grid[1], grid[2], group[0], group[1], group[2],
                                            0, queue->stream, arguments, NULL));
}

swathe_status runtime_finish(void *handle)
{
    const struct runtime_queue *queue = handle;
    int before;
    TRY(runtime_queue_enter(queue->device, &before));
    return runtime_queue_leave(queue->device, before,
                               RUNTIME_CALL(queue->device->runtime, finish, queue->stream));
}

/* Copies through a temporary queue: a plain copy may still be in progress when the call returns. */
static swathe_status runtime_queue_send(void *handle, void *to, const void *constant, int64_t size)
{
    void *queue = NULL;
    TRY(runtime_new_queue(handle, &queue));
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
