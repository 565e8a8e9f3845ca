#include "gpu/drivers/opencl.h"

#include <stdio.h>
#include <string.h>

/* Joins the options that the contract's arithmetic requires and the caller's options. Without -w
 * some drivers print the number of warnings on standard error. */
static swathe_status join_options(const struct opencl_device *device, const char *const *options,
                                  int32_t count, char **joined)
{
    const char *first = device->rounds ? "-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                                       : "-w -cl-std=CL1.2";
    int64_t size = (int64_t)strlen(first) + 1;
    char *text;
    for (int32_t i = 0; i < count; i++)
        size += (int64_t)strlen(options[i]) + 1;
    TRY(memory_new(device->memory, size, 1, "compiler options", &text));
    int used = snprintf(text, (size_t)size, "%s", first);
    for (int32_t i = 0; i < count; i++)
        used += snprintf(text + used, (size_t)(size - used), " %s", options[i]);
    *joined = text;
    return SWATHE_OK;
}

static swathe_status opencl_program_say_log(const struct opencl_device *device, cl_program program,
                                            cl_int error)
{
    const struct opencl_api *api = device->api;
    char name[FAILURE_NAME], *log = NULL;
    size_t size = 0;
    api->clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    if (size > 0 && size < INT32_MAX)
        TRY(memory_new(device->memory, (int64_t)size + 1, 1, "a compiler's log", &log));
    if (log)
        api->clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    swathe_status status = failure_compile(
        "clBuildProgram", opencl_error_name(error, name, sizeof name), log ? log : "(no log)");
    memory_free(device->memory, log);
    return status;
}

static swathe_status opencl_program_build(const struct opencl_device *device, cl_program program,
                                          const char *options)
{
    cl_int error = device->api->clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    return error == CL_SUCCESS ? SWATHE_OK : opencl_program_say_log(device, program, error);
}

/* The context has one device, so a program has one binary. */
static swathe_status take_binary(const struct opencl_device *device, cl_program program,
                                 struct gpu_binary *binary)
{
    const struct opencl_api *api = device->api;
    struct gpu_binary got;
    size_t size = 0;
    TRY(opencl_check("clGetProgramInfo", api->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                                               sizeof size, &size, NULL)));
    if (size == 0 || size > INT32_MAX)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "clGetProgramInfo: the driver returns no binary; use device cpu");
    got.size = (int64_t)size;
    TRY(memory_new(device->memory, got.size, 1, "a program", &got.data));
    swathe_status status =
        opencl_check("clGetProgramInfo", api->clGetProgramInfo(program, CL_PROGRAM_BINARIES,
                                                               sizeof got.data, &got.data, NULL));
    if (status == SWATHE_OK)
        *binary = got;
    else
        memory_free(device->memory, got.data);
    return status;
}

swathe_status opencl_compile(void *handle, const char *source, const char *const *options,
                             int32_t count, struct gpu_binary *binary)
{
    struct opencl_device *device = handle;
    char *joined;
    cl_int error;
    TRY(join_options(device, options, count, &joined));
    cl_program program =
        device->api->clCreateProgramWithSource(device->context, 1, &source, NULL, &error);
    swathe_status status = opencl_check("clCreateProgramWithSource", error);
    if (status == SWATHE_OK) {
        status = opencl_program_build(device, program, joined);
        if (status == SWATHE_OK)
            status = take_binary(device, program, binary);
        device->api->clReleaseProgram(program);
    }
    memory_free(device->memory, joined);
    return status;
}

static swathe_status load_binary(const struct opencl_device *device,
                                 const struct gpu_binary *binary, struct opencl_program *program)
{
    const unsigned char *data = binary->data;
    size_t size = (size_t)binary->size;
    cl_int error, taken = CL_SUCCESS;
    program->program = device->api->clCreateProgramWithBinary(device->context, 1, &device->id,
                                                              &size, &data, &taken, &error);
    TRY(opencl_check("clCreateProgramWithBinary", error));
    TRY(opencl_check("clCreateProgramWithBinary", taken));
    return opencl_program_build(device, program->program, "");
}

static swathe_status opencl_program_fill(const struct opencl_device *device,
                                         const struct gpu_binary *binary, const char *kernel,
                                         const void *constant, int64_t size,
                                         struct opencl_program *program)
{
    const struct opencl_api *api = device->api;
    cl_int error;
    TRY(load_binary(device, binary, program));
    program->kernel = api->clCreateKernel(program->program, kernel, &error);
    TRY(opencl_check("clCreateKernel", error));
    TRY(opencl_check("clGetKernelInfo",
                     api->clGetKernelInfo(program->kernel, CL_KERNEL_NUM_ARGS,
                                          sizeof program->arguments, &program->arguments, NULL)));
    if (size == 0)
        return SWATHE_OK;
    /* The driver copies the data before the call returns, but asks for a pointer to writable
     * memory. */
    program->constant =
        api->clCreateBuffer(device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, (size_t)size,
                            (void *)(uintptr_t)constant, &error);
    return opencl_check("clCreateBuffer", error);
}

swathe_status opencl_load(void *handle, const struct gpu_binary *binary, const char *kernel,
                          const void *constant, int64_t size, void **program)
{
    struct opencl_device *device = handle;
    struct opencl_program *got;
    TRY(memory_new(device->memory, 1, sizeof *got, "a program", &got));
    pthread_mutex_init(&got->mutex, NULL);
    swathe_status status = opencl_program_fill(device, binary, kernel, constant, size, got);
    if (status != SWATHE_OK) {
        opencl_unload(device, got);
        return status;
    }
    *program = got;
    return SWATHE_OK;
}

void opencl_unload(void *handle, void *loaded)
{
    struct opencl_device *device = handle;
    struct opencl_program *program = loaded;
    if (program->constant)
        device->api->clReleaseMemObject(program->constant);
    if (program->kernel)
        device->api->clReleaseKernel(program->kernel);
    if (program->program)
        device->api->clReleaseProgram(program->program);
    pthread_mutex_destroy(&program->mutex);
    memory_free(device->memory, program);
}

int32_t opencl_group_most(void *handle, void *loaded)
{
    struct opencl_device *device = handle;
    struct opencl_program *program = loaded;
    size_t most = 0;
    device->api->clGetKernelWorkGroupInfo(program->kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                          sizeof most, &most, NULL);
    return (int32_t)(most > INT32_MAX ? INT32_MAX : most);
}
