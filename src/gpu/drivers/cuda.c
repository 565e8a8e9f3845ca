#include "gpu/drivers/device.h"
#include "gpu/drivers/nvrtc.h"
#include "gpu/drivers/runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* CUdevice_attribute and CUresult */
enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76, OUT_OF_MEMORY = 2 };

/* Functions that only CUDA has. */
static struct {
    int (*cuDeviceGet)(int *, int);
    int (*cuGetErrorName)(int, const char **);
    int (*cuDevicePrimaryCtxRetain)(void **, int);
    int (*cuDevicePrimaryCtxRelease)(int);
    int (*cuCtxPushCurrent)(void *);
    int (*cuCtxPopCurrent)(void **);
} own;

static struct nvrtc compiler;
static struct runtime cuda = {
    .back_end = gpu_name_cuda,
    .numbers = {.group = 1,
                .group_side = {2, 3, 4},
                .grid = {5, 6, 7},
                .local = 8,
                .constant = 9,
                .integrated = 18},
    .out_of_memory = OUT_OF_MEMORY,
};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *cuda_error_name(int error)
{
    const char *name = NULL;
    return own.cuGetErrorName(error, &name) == 0 && name ? name : "an unknown error";
}

static int cuda_retain(int handle, void **context)
{
    return own.cuDevicePrimaryCtxRetain(context, handle);
}

static void cuda_release(int handle)
{
    own.cuDevicePrimaryCtxRelease(handle);
}

static int cuda_enter(const struct runtime_device *device, int *before)
{
    *before = 0; /* unused: the driver keeps a stack of contexts */
    return own.cuCtxPushCurrent(device->context);
}

static void cuda_leave(const struct runtime_device *device, int before)
{
    void *context;
    (void)device;
    (void)before;
    own.cuCtxPopCurrent(&context);
}

/* Returns 86 for compute capability 8.6. */
static int target_of(int handle)
{
    int major = 0, minor = 0;
    cuda.api.attribute(&major, CAPABILITY_MAJOR, handle);
    cuda.api.attribute(&minor, CAPABILITY_MINOR, handle);
    return major * 10 + minor;
}

static void cuda_describe(int handle, struct gpu_info *info)
{
    int target = target_of(handle);
    snprintf(info->target, sizeof info->target, "sm_%d", target);
    info->limits.dot4 = target >= 61;
}

static swathe_status cuda_compile(const struct runtime_device *device, const char *source,
                                  const char *const *options, int32_t count,
                                  struct gpu_binary *binary)
{
    return nvrtc_compile(&compiler, device->memory, target_of(device->handle), source, options,
                         count, binary);
}

static bool cuda_load_driver(void)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    const struct library_symbol symbols[] = {
#define RUNTIME(member, arguments, cuda_name, hip_name) {cuda_name, &cuda.api.member},
#include "gpu/drivers/runtime.def"
#undef RUNTIME
        {"cuDeviceGet", &own.cuDeviceGet},
        {"cuGetErrorName", &own.cuGetErrorName},
        {"cuDevicePrimaryCtxRetain", &own.cuDevicePrimaryCtxRetain},
        {"cuDevicePrimaryCtxRelease_v2", &own.cuDevicePrimaryCtxRelease},
        {"cuCtxPushCurrent_v2", &own.cuCtxPushCurrent},
        {"cuCtxPopCurrent_v2", &own.cuCtxPopCurrent},
    };
    const char *which;
    void *library = library_open(names, &which, cuda.note, sizeof cuda.note);
    return library && library_find(library, symbols, sizeof symbols / sizeof *symbols, cuda.note,
                                   sizeof cuda.note);
}

/* Loads NVRTC. Without it no devices are listed here; OpenCL lists the same cards. */
static void cuda_load_compiler(void)
{
    int driver = 0;
    char why[GPU_NOTE / 2], card[GPU_NAME] = "";
    cuda.api.version(&driver);
    if (nvrtc_find(driver, &compiler, why, sizeof why)) {
        cuda.rtc = compiler.rtc;
        return;
    }
    cuda.api.name(card, sizeof card - 1, cuda.handles[0]);
    snprintf(cuda.note, sizeof cuda.note,
             "%s: %s; 'pip install nvidia-cuda-nvrtc' has it, or use the card as opencl", card,
             why);
    cuda.count = 0;
}

static void cuda_load(void)
{
    cuda.error_name = cuda_error_name;
    cuda.retain = cuda_retain;
    cuda.release = cuda_release;
    cuda.enter = cuda_enter;
    cuda.leave = cuda_leave;
    cuda.describe = cuda_describe;
    cuda.compile = cuda_compile;
    if (!cuda_load_driver() || !runtime_start(&cuda))
        return;
    for (int32_t i = 0; i < cuda.count; i++)
        if (own.cuDeviceGet(&cuda.handles[i], i) != 0)
            cuda.count = i;
    if (cuda.count > 0)
        cuda_load_compiler();
}

static void cuda_list(struct gpu_list *list)
{
    pthread_once(&once, cuda_load);
    runtime_list(&cuda, list);
}

static swathe_status cuda_open_device(const struct memory *memory, int32_t index, void **device)
{
    pthread_once(&once, cuda_load);
    return runtime_open(&cuda, memory, index, device);
}

const struct gpu_calls gpu_calls_cuda = RUNTIME_CALLS(cuda_list, cuda_open_device);
