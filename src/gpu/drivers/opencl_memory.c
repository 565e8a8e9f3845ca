#include "gpu/drivers/opencl.h"

/* Host memory that the driver allocated and mapped. Its address need not be page-aligned, so it has
 * an extra page. */
struct opencl_host {
    struct opencl_host *next;
    cl_mem buffer;
    void *mapped;
    void *start; /* address of its first whole page */
};

enum { PAGE = 4096 };

swathe_status opencl_new_buffer(void *handle, int64_t bytes, void **buffer)
{
    struct opencl_device *device = handle;
    cl_int error;
    TRY(failure_if_too_large(bytes, &device->info));
    cl_mem got = device->api->clCreateBuffer(device->context, CL_MEM_READ_WRITE, (size_t)bytes,
                                             NULL, &error);
    TRY(opencl_check("clCreateBuffer", error));
    *buffer = got;
    return SWATHE_OK;
}

void opencl_free_buffer(void *handle, void *buffer)
{
    struct opencl_device *device = handle;
    device->api->clReleaseMemObject(buffer);
}

static void opencl_memory_drop(struct opencl_device *device, struct opencl_host *host)
{
    const struct opencl_api *api = device->api;
    if (host->mapped) {
        api->clEnqueueUnmapMemObject(device->maps, host->buffer, host->mapped, 0, NULL, NULL);
        api->clFinish(device->maps);
    }
    if (host->buffer)
        api->clReleaseMemObject(host->buffer);
    memory_free(device->memory, host);
}

static swathe_status opencl_memory_map(struct opencl_device *device, int64_t bytes,
                                       struct opencl_host *host)
{
    const struct opencl_api *api = device->api;
    size_t size = (size_t)bytes + PAGE;
    cl_int error;
    host->buffer = api->clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                       size, NULL, &error);
    TRY(opencl_check("clCreateBuffer", error));
    host->mapped = api->clEnqueueMapBuffer(
        device->maps, host->buffer, 1, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL, NULL, &error);
    TRY(opencl_check("clEnqueueMapBuffer", error));
    host->start = (char *)host->mapped + (PAGE - (uintptr_t)host->mapped % PAGE) % PAGE;
    return SWATHE_OK;
}

swathe_status opencl_new_host(void *handle, int64_t bytes, void **memory)
{
    struct opencl_device *device = handle;
    struct opencl_host *host;
    TRY(failure_if_too_large(bytes, &device->info));
    TRY(memory_new(device->memory, 1, sizeof *host, "host memory", &host));
    swathe_status status = opencl_memory_map(device, bytes, host);
    if (status != SWATHE_OK) {
        opencl_memory_drop(device, host);
        return status;
    }
    pthread_mutex_lock(&device->mutex);
    host->next = device->hosts;
    device->hosts = host;
    pthread_mutex_unlock(&device->mutex);
    *memory = host->start;
    return SWATHE_OK;
}

void opencl_free_host(void *handle, void *memory)
{
    struct opencl_device *device = handle;
    pthread_mutex_lock(&device->mutex);
    struct opencl_host **at = &device->hosts, *host;
    while (*at && (*at)->start != memory)
        at = &(*at)->next;
    host = *at;
    if (host)
        *at = host->next;
    pthread_mutex_unlock(&device->mutex);
    if (host)
        opencl_memory_drop(device, host);
}
