#include "gpu/drivers/opencl.h"

#include "gpu/kernels/device_task.h"

swathe_status opencl_new_queue(void *handle, void **queue)
{
    struct opencl_device *device = handle;
    struct opencl_queue *got;
    cl_int error;
    TRY(memory_new(device->memory, 1, sizeof *got, "a queue", &got));
    got->device = device;
    got->queue = device->api->clCreateCommandQueue(device->context, device->id, 0, &error);
    swathe_status status = opencl_check("clCreateCommandQueue", error);
    if (status != SWATHE_OK) {
        memory_free(device->memory, got);
        return status;
    }
    *queue = got;
    return SWATHE_OK;
}

/* Waits for the oldest event and records whether its command failed. */
static void drop_event(struct opencl_queue *queue)
{
    const struct opencl_api *api = queue->device->api;
    cl_event event = queue->events[queue->first];
    cl_int state = CL_SUCCESS;
    queue->first = (queue->first + 1) % OPENCL_EVENTS;
    queue->count--;
    cl_int error = api->clWaitForEvents(1, &event);
    if (error == CL_SUCCESS)
        error = api->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                                    NULL);
    if (error == CL_SUCCESS && state < 0)
        error = state;
    if (queue->error == CL_SUCCESS)
        queue->error = error;
    api->clReleaseEvent(event);
}

/* Flushes the queue, so that the driver may start at once. */
static swathe_status opencl_queue_sent(struct opencl_queue *queue, const char *call, cl_int error,
                                       cl_event event)
{
    TRY(opencl_check(call, error));
    if (queue->count == OPENCL_EVENTS)
        drop_event(queue);
    queue->events[(queue->first + queue->count++) % OPENCL_EVENTS] = event;
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
    return opencl_queue_sent(queue, "clEnqueueWriteBuffer", error, event);
}

swathe_status opencl_download(void *handle, void *buffer, int64_t offset, void *host, int64_t bytes)
{
    struct opencl_queue *queue = handle;
    cl_event event = NULL;
    cl_int error = queue->device->api->clEnqueueReadBuffer(queue->queue, buffer, 0, (size_t)offset,
                                                           (size_t)bytes, host, 0, NULL, &event);
    return opencl_queue_sent(queue, "clEnqueueReadBuffer", error, event);
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
    cl_int error = set_buffers(api, program->kernel, 0, buffers, task);
    if (error == CL_SUCCESS)
        error = api->clSetKernelArg(program->kernel, task, sizeof *launch->task, launch->task);
    if (error == CL_SUCCESS)
        error = set_buffers(api, program->kernel, task + 1, launch->planes, planes);
    if (error == CL_SUCCESS && program->arguments > task + 1 + planes)
        error = api->clSetKernelArg(program->kernel, task + 1 + planes, sizeof program->constant,
                                    program->constant ? &program->constant : NULL);
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
    return opencl_queue_sent(queue, call, error, event);
}
