#include "gpu/drivers/opencl.h"

#include "gpu/drivers/device.h"
#include "gpu/drivers/library.h"

#include <stdio.h>
#include <string.h>

enum { PLATFORMS_MAX = 16 };

static struct opencl loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool load_library(struct opencl *opencl)
{
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
    const struct library_symbol symbols[] = {
#define OPENCL(result, name, arguments) {#name, &opencl->api.name},
#include "gpu/drivers/opencl_api.def"
#undef OPENCL
    };
    const char *which;
    void *library = library_open(names, &which, opencl->note, sizeof opencl->note);
    return library && library_find(library, symbols, sizeof symbols / sizeof *symbols, opencl->note,
                                   sizeof opencl->note);
}

static void add_note(struct opencl *opencl, const char *name, const char *why)
{
    size_t used = strlen(opencl->note);
    snprintf(opencl->note + used, sizeof opencl->note - used, "%s%s %s", used ? "; " : "", name,
             why);
}

/* Adds the devices of a platform, except those that cannot be used. */
static void add_devices(struct opencl *opencl, cl_platform_id platform)
{
    const struct opencl_api *api = &opencl->api;
    cl_device_id ids[GPU_DEVICES_MAX];
    cl_uint count = 0;
    if (api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, GPU_DEVICES_MAX, ids, &count) != 0)
        return;
    for (cl_uint i = 0; i < count && i < GPU_DEVICES_MAX; i++) {
        char name[GPU_NAME] = "a device";
        const char *why = opencl_unfit(api, ids[i]);
        api->clGetDeviceInfo(ids[i], CL_DEVICE_NAME, sizeof name - 1, name, NULL);
        if (why)
            add_note(opencl, name, why);
        else if (opencl->count < GPU_DEVICES_MAX)
            opencl->found[opencl->count++] = (struct opencl_found){platform, ids[i]};
    }
}

static void gpu_opencl_load(void)
{
    struct opencl *opencl = &loaded;
    cl_platform_id platforms[PLATFORMS_MAX];
    cl_uint count = 0;
    char name[FAILURE_NAME];
    if (!load_library(opencl))
        return;
    opencl->note[0] = '\0';
    cl_int error = opencl->api.clGetPlatformIDs(PLATFORMS_MAX, platforms, &count);
    if (error != CL_SUCCESS && error != CL_PLATFORM_NOT_FOUND_KHR)
        add_note(opencl, "clGetPlatformIDs:", opencl_error_name(error, name, sizeof name));
    else if (error != CL_SUCCESS || count == 0)
        add_note(opencl, "libOpenCL.so.1", "finds no driver");
    else
        for (cl_uint i = 0; i < count && i < PLATFORMS_MAX; i++)
            add_devices(opencl, platforms[i]);
    if (opencl->count == 0 && !opencl->note[0])
        add_note(opencl, "the drivers", "have no devices");
}

static void opencl_list(struct gpu_list *list)
{
    pthread_once(&once, gpu_opencl_load);
    memset(list, 0, sizeof *list);
    list->count = loaded.count;
    snprintf(list->note, sizeof list->note, "%s", loaded.note);
    for (int32_t i = 0; i < loaded.count; i++)
        opencl_describe(&loaded, i, &list->devices[i]);
}

static swathe_status opencl_check_index(int32_t index)
{
    struct gpu_list all = {.count = loaded.count};
    if (index >= 0 && index < loaded.count)
        return SWATHE_OK;
    snprintf(all.note, sizeof all.note, "%s", loaded.note);
    return failure_no_device(gpu_name_opencl, index, &all);
}

static void close_device(void *handle)
{
    struct opencl_device *device = handle;
    if (device->maps)
        device->api->clReleaseCommandQueue(device->maps);
    if (device->context)
        device->api->clReleaseContext(device->context);
    pthread_mutex_destroy(&device->mutex);
    memory_free(device->memory, device);
}

static swathe_status opencl_fill(struct opencl_device *device)
{
    cl_int error;
    device->context = device->api->clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    TRY(opencl_check("clCreateContext", error));
    device->maps = device->api->clCreateCommandQueue(device->context, device->id, 0, &error);
    return opencl_check("clCreateCommandQueue", error);
}

static swathe_status opencl_open_device(const struct memory *memory, int32_t index, void **handle)
{
    struct opencl_device *device;
    pthread_once(&once, gpu_opencl_load);
    TRY(opencl_check_index(index));
    TRY(memory_new(memory, 1, sizeof *device, "a device", &device));
    device->memory = memory;
    device->api = &loaded.api;
    device->id = loaded.found[index].id;
    device->rounds = opencl_rounds(device->api, device->id);
    opencl_describe(&loaded, index, &device->info);
    pthread_mutex_init(&device->mutex, NULL);
    swathe_status status = opencl_fill(device);
    if (status != SWATHE_OK) {
        close_device(device);
        return status;
    }
    *handle = device;
    return SWATHE_OK;
}

const struct gpu_calls gpu_calls_opencl = {
    .list = opencl_list,
    .open = opencl_open_device,
    .close = close_device,
    .compile = opencl_compile,
    .load = opencl_load,
    .unload = opencl_unload,
    .group_most = opencl_group_most,
    .new_buffer = opencl_new_buffer,
    .free_buffer = opencl_free_buffer,
    .new_host = opencl_new_host,
    .free_host = opencl_free_host,
    .new_queue = opencl_new_queue,
    .free_queue = opencl_free_queue,
    .upload = opencl_upload,
    .download = opencl_download,
    .launch = opencl_launch,
    .finish = opencl_finish,
    .launch_seconds = opencl_launch_seconds,
};
