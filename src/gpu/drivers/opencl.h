/* Declarations that the files of the OpenCL back end share. */
#ifndef SWATHE_GPU_DRIVERS_OPENCL_H
#define SWATHE_GPU_DRIVERS_OPENCL_H

#include "gpu/drivers/device.h"
#include "gpu/drivers/opencl_api.h"

#include <pthread.h>

struct opencl_found {
    cl_platform_id platform;
    cl_device_id id;
};

/* The library and the devices found, filled once. */
struct opencl {
    struct opencl_api api;
    int32_t count;
    struct opencl_found found[GPU_DEVICES_MAX];
    char note[GPU_NOTE];
};

struct opencl_host; /* mapped host memory */

struct opencl_device {
    const struct memory *memory;
    const struct opencl_api *api;
    struct gpu_info info;
    cl_device_id id;
    cl_context context;
    cl_command_queue maps; /* queue for mapping and unmapping */
    bool rounds;           /* the compiler has an option for exact division and square root */
    pthread_mutex_t mutex; /* protects `hosts` */
    struct opencl_host *hosts;
};

enum { OPENCL_EVENTS = 256 };

/* An in-order queue. Events are kept to find out later whether their commands failed. */
struct opencl_queue {
    struct opencl_device *device;
    cl_command_queue queue;
    int32_t first, count;
    cl_int error; /* of a released event, or CL_SUCCESS */
    cl_event events[OPENCL_EVENTS];
    bool launches[OPENCL_EVENTS]; /* their durations are added up */
    bool timed;
    double seconds;
};

struct opencl_program {
    cl_program program;
    cl_kernel kernel;
    cl_mem constant; /* buffer of the constant memory, or NULL */
    cl_uint arguments;
    pthread_mutex_t mutex; /* the kernel object stores its arguments, and device workers share it */
};

/* opencl_info.c */
void opencl_describe(const struct opencl *opencl, int32_t index, struct gpu_info *info);
/* The reason why a device cannot be used; NULL if it can. */
const char *opencl_unfit(const struct opencl_api *api, cl_device_id id);
bool opencl_rounds(const struct opencl_api *api, cl_device_id id);

/* opencl_error.c */
swathe_status opencl_check(const char *call, cl_int error);
const char *opencl_error_name(cl_int error, char *buffer, size_t size);

/* opencl_program.c */
swathe_status opencl_compile(void *device, const char *source, const char *const *options,
                             int32_t count, struct gpu_binary *binary);
swathe_status opencl_load(void *device, const struct gpu_binary *binary, const char *kernel,
                          const void *constant, int64_t size, void **program);
void opencl_unload(void *device, void *program);
int32_t opencl_group_most(void *device, void *program);

/* opencl_memory.c */
swathe_status opencl_new_buffer(void *device, int64_t bytes, void **buffer);
void opencl_free_buffer(void *device, void *buffer);
swathe_status opencl_new_host(void *device, int64_t bytes, void **host);
void opencl_free_host(void *device, void *host);

/* opencl_queue.c */
swathe_status opencl_new_queue(void *device, bool timed, void **queue);
void opencl_free_queue(void *device, void *queue);
swathe_status opencl_upload(void *queue, void *buffer, int64_t offset, const void *host,
                            int64_t bytes);
swathe_status opencl_download(void *queue, void *buffer, int64_t offset, void *host, int64_t bytes);
swathe_status opencl_launch(void *queue, void *program, const struct gpu_launch *launch);
swathe_status opencl_finish(void *queue);
double opencl_launch_seconds(void *queue);

#endif
