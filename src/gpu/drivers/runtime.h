/* Code that CUDA and HIP share, which is nearly everything. */
#ifndef SWATHE_GPU_DRIVERS_RUNTIME_H
#define SWATHE_GPU_DRIVERS_RUNTIME_H

#include "gpu/drivers/device.h"
#include "gpu/drivers/rtc.h"

/* Numbers of device attributes, which differ between CUDA and HIP. */
struct runtime_attributes {
    int group, group_side[3], grid[3], local, constant, integrated;
};

struct runtime_api {
#define RUNTIME(member, arguments, cuda, hip) int(*member) arguments;
#include "gpu/drivers/runtime.def"
#undef RUNTIME
};

struct runtime_device;

/* A loaded driver. */
struct runtime {
    const char *back_end;
    struct runtime_attributes numbers;
    int out_of_memory; /* its error code */
    char driver[16];
    int32_t count; /* devices; 0: the note gives the reason */
    int handles[GPU_DEVICES_MAX];
    char note[GPU_NOTE];
    struct rtc rtc;
    struct runtime_api api;
    const char *(*error_name)(int error);
    /* Fills in the compile target and the fields that depend on it. */
    void (*describe)(int handle, struct gpu_info *info);
    /* Gets the context of a device; it is current in this thread between enter and leave. */
    int (*retain)(int handle, void **context);
    void (*release)(int handle);
    int (*enter)(const struct runtime_device *device, int *before);
    void (*leave)(const struct runtime_device *device, int before);
    swathe_status (*compile)(const struct runtime_device *device, const char *source,
                             const char *const *options, int32_t count, struct gpu_binary *binary);
};

struct runtime_device {
    const struct memory *memory;
    const struct runtime *runtime;
    struct gpu_info info;
    int handle;
    void *context;
};

/* Called after the functions were loaded: initialises the driver. On failure returns false, with
 * the reason in the note. */
bool runtime_start(struct runtime *runtime);
void runtime_list(const struct runtime *runtime, struct gpu_list *list);
swathe_status runtime_open(const struct runtime *runtime, const struct memory *memory,
                           int32_t index, void **device);
void runtime_close(void *device);
swathe_status runtime_check(const struct runtime *runtime, const char *call, int error);
const char *runtime_name(const struct runtime *runtime, const char *member);
/* Calls a function of the driver; the error text names the function. */
#define RUNTIME_CALL(runtime, member, ...)                                                         \
    runtime_check(runtime, runtime_name(runtime, #member), (runtime)->api.member(__VA_ARGS__))

/* The calls that are the same for CUDA and HIP; see struct gpu_calls. */
swathe_status runtime_compile(void *device, const char *source, const char *const *options,
                              int32_t count, struct gpu_binary *binary);
swathe_status runtime_load(void *device, const struct gpu_binary *binary, const char *kernel,
                           const void *constant, int64_t size, void **program);
void runtime_unload(void *device, void *program);
int32_t runtime_group_most(void *device, void *program);
swathe_status runtime_new_buffer(void *device, int64_t bytes, void **buffer);
void runtime_free_buffer(void *device, void *buffer);
swathe_status runtime_new_host(void *device, int64_t bytes, void **host);
void runtime_free_host(void *device, void *host);
swathe_status runtime_new_queue(void *device, bool timed, void **queue);
void runtime_free_queue(void *device, void *queue);
swathe_status runtime_upload(void *queue, void *buffer, int64_t offset, const void *host,
                             int64_t bytes);
swathe_status runtime_download(void *queue, void *buffer, int64_t offset, void *host,
                               int64_t bytes);
swathe_status runtime_launch(void *queue, void *program, const struct gpu_launch *launch);
swathe_status runtime_finish(void *queue);
double runtime_launch_seconds(void *queue);

/* A table of calls with the back end's own `list` and `open`. */
#define RUNTIME_CALLS(list_, open_)                                                                \
    {                                                                                              \
        .list = list_, .open = open_, .close = runtime_close, .compile = runtime_compile,          \
        .load = runtime_load, .unload = runtime_unload, .group_most = runtime_group_most,          \
        .new_buffer = runtime_new_buffer, .free_buffer = runtime_free_buffer,                      \
        .new_host = runtime_new_host, .free_host = runtime_free_host,                              \
        .new_queue = runtime_new_queue, .free_queue = runtime_free_queue,                          \
        .upload = runtime_upload, .download = runtime_download, .launch = runtime_launch,          \
        .finish = runtime_finish, .launch_seconds = runtime_launch_seconds,                        \
    }

#endif
