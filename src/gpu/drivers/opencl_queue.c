#include "gpu/drivers/opencl.h"

#include "gpu/kernels/device_task.h"

swathe_status opencl_new_queue(void *handle, bool timed, void **queue)
{
    struct opencl_device *device = handle;
    struct opencl_queue *got;
    cl_int error;
    TRY(memory_new(device->memory, 1, sizeof *got, "a queue", &got));
    got->device = device;
    got->timed = timed;
    got->queue = device->api->clCreateCommandQueue(device->context, device->id,
                                                   timed ? CL_QUEUE_PROFILING_ENABLE : 0, &error);
    swathe_status status = opencl_check("clCreateCommandQueue", error);
    if (status != SWATHE_OK) {
        memory_free(device->memory, got);
        return status;
    }
    *queue = got;
    return SWATHE_OK;
}

/* Adds the duration of a launch that has ended. */
static cl_int add_seconds(struct opencl_queue *queue, cl_event event)
{
    const struct opencl_api *api = queue->device->api;
    cl_ulong start = 0, end = 0; /* nanoseconds */
    cl_int error =
        api->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (error == CL_SUCCESS)
        error =
            api->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (error == CL_SUCCESS && end > start)
        queue->seconds += (double)(end - start) * 1e-9;
    return error;
}

/* Waits for the oldest event and records whether its command failed. */
static void drop_event(struct opencl_queue *queue)
{
    const struct opencl_api *api = queue->device->api;
    cl_event event = queue->events[queue->first];
    bool times = queue->timed && queue->launches[queue->first];
    cl_int state = CL_SUCCESS;
    queue->first = (queue->first + 1) % OPENCL_EVENTS;
    queue->count--;
    cl_int error = api->clWaitForEvents(1, &event);
    if (error == CL_SUCCESS)
        error = api->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                                    NULL);
    if (error == CL_SUCCESS && state < 0)
        error = state;
    if (error == CL_SUCCESS && times)
        error = add_seconds(queue, event);
    if (queue->error == CL_SUCCESS)
        queue->error = error;
    api->clReleaseEvent(event);
}

/* Flushes the queue, so that the driver may start at once. */
static swathe_status opencl_queue_sent(struct opencl_queue *queue, const char *call, cl_int error,
                                       cl_event event, bool launch)
{
    TRY(opencl_check(call, error));
    if (queue->count == OPENCL_EVENTS)
        drop_event(queue);
    int32_t at = (queue->first + queue->count++) % OPENCL_EVENTS;
    queue->events[at] = event;
    queue->launches[at] = launch;
    return opencl_check("clFlush", queue->device->api->clFlush(queue->queue));
}

swathe_status opencl_finish(void *handle)
{
    struct opencl_queue *queue = handle;
    cl_int error = queue->device->api->clFinish(queue->queue);
    while (queue->count > 0)
        drop_event(queue);
    if (queue->error != CL_SUCCESS)
        error = queue->error;
    queue->error = CL_SUCCESS;
    return opencl_check("clFinish", error);
}

void opencl_free_queue(void *handle, void *old)
{
    struct opencl_device *device = handle;
    struct opencl_queue *queue = old;
    device->api->clFinish(queue->queue);
    while (queue->count > 0)
        drop_event(queue);
    device->api->clReleaseCommandQueue(queue->queue);
    memory_free(device->memory, queue);
}

swathe_status opencl_upload(void *handle, void *buffer, int64_t offset, const void *host,
                            int64_t bytes)
{
    struct opencl_queue *queue = handle;
    cl_event event = NULL;
    cl_int error = queue->device->api->clEnqueueWriteBuffer(queue->queue, buffer, 0, (size_t)offset,
                                                            (size_t)bytes, host, 0, NULL, &event);
    return opencl_queue_sent(queue, "clEnqueueWriteBuffer", error, event, false);
}

swathe_status opencl_download(void *handle, void *buffer, int64_t offset, void *host, int64_t bytes)
{
    struct opencl_queue *queue = handle;
    cl_event event = NULL;
    cl_int error = queue->device->api->clEnqueueReadBuffer(queue->queue, buffer, 0, (size_t)offset,
                                                           (size_t)bytes, host, 0, NULL, &event);
    return opencl_queue_sent(queue, "clEnqueueReadBuffer", error, event, false);
}

static cl_int set_buffers(const struct opencl_api *api, cl_kernel kernel, cl_uint first,
                          void *const *buffers, cl_uint count)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < count && error == CL_SUCCESS; i++)
        error = api->clSetKernelArg(kernel, first + i, sizeof buffers[i], &buffers[i]);
    return error;
}

static cl_int set_arguments(const struct opencl_api *api, struct opencl_program *program,
                            const struct gpu_launch *launch)
{
    void *const buffers[] = {launch->in, launch->out, launch->taps, launch->rows, launch->columns};
    cl_uint task = sizeof buffers / sizeof *buffers, planes = (cl_uint)launch->plane_buffers;
    cl_uint local = launch->local_bytes > 0 ? 1 : 0, next = task + 1 + planes;
    cl_int error = set_buffers(api, program->kernel, 0, buffers, task);
    if (error == CL_SUCCESS)
        error = api->clSetKernelArg(program->kernel, task, sizeof *launch->task, launch->task);
    if (error == CL_SUCCESS)
        error = set_buffers(api, program->kernel, task + 1, launch->planes, planes);
    if (error == CL_SUCCESS && program->arguments > next + local)
        error = api->clSetKernelArg(program->kernel, next++, sizeof program->constant,
                                    program->constant ? &program->constant : NULL);
    if (error == CL_SUCCESS && local > 0)
        error = api->clSetKernelArg(program->kernel, next, (size_t)launch->local_bytes, NULL);
    return error;
}

swathe_status opencl_launch(void *handle, void *loaded, const struct gpu_launch *launch)
{
    struct opencl_queue *queue = handle;
    struct opencl_program *program = loaded;
    const struct opencl_api *api = queue->device->api;
    const char *call = "clSetKernelArg";
    size_t all[3], group[3];
    cl_event event = NULL;
    for (int k = 0; k < 3; k++) {
        group[k] = (size_t)launch->group[k];
        all[k] = (size_t)launch->grid[k] * group[k];
    }
    pthread_mutex_lock(&program->mutex);
    cl_int error = set_arguments(api, program, launch);
    if (error == CL_SUCCESS) {
        call = "clEnqueueNDRangeKernel";
        error = api->clEnqueueNDRangeKernel(queue->queue, program->kernel, 3, NULL, all, group, 0,
                                            NULL, &event);
    }
    pthread_mutex_unlock(&program->mutex);
    return opencl_queue_sent(queue, call, error, event, true);
}

double opencl_launch_seconds(void *handle)
{
    return ((const struct opencl_queue *)handle)->seconds;
}
