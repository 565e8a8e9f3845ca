/* A stand-in for CUDA's driver, and with STANDIN_HIP for HIP's, in tests, with only the functions
 * that the back ends call. It refuses calls without a context, unknown addresses, and work groups
 * that are too large. If any object is not freed, the program ends with status 9. */
#define _GNU_SOURCE
#include "late_stream.h"
#include "standin.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    NOT_READY = 600,
    LAUNCH_FAILED = 719
};
enum { MEMORY = 256 << 20, MOST_THREADS = 1024, MOST_LOCAL = 48 << 10 };

enum kind { BUFFER, HOST, STREAM, EVENT, MODULE, FUNCTION, GLOBAL };

/* All objects of the driver. */
struct object {
    struct object *next;
    enum kind kind;
    void *data; /* its address, stream, library or kernel */
    size_t size;
    struct object *module; /* of a function or a global */
};

static struct object *objects;
static size_t used;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int depth; /* contexts of this thread */

static struct object *add(enum kind kind, void *data, size_t size, struct object *module)
{
    struct object *object = calloc(1, sizeof *object);
    if (!object)
        abort();
    *object = (struct object){.kind = kind, .data = data, .size = size, .module = module};
    pthread_mutex_lock(&mutex);
    object->next = objects;
    objects = object;
    if (kind == BUFFER)
        used += size;
    pthread_mutex_unlock(&mutex);
    return object;
}

static void drop(struct object *object)
{
    pthread_mutex_lock(&mutex);
    struct object **at = &objects;
    while (*at && *at != object)
        at = &(*at)->next;
    if (*at)
        *at = object->next;
    if (object->kind == BUFFER)
        used -= object->size;
    pthread_mutex_unlock(&mutex);
    free(object);
}

/* The object whose handle is `data`, or which contains `size` bytes at `data`. */
static struct object *find(enum kind kind, const void *data, size_t size)
{
    pthread_mutex_lock(&mutex);
    struct object *at = objects;
    while (at && !(at->kind == kind && (const char *)data >= (char *)at->data &&
                   (const char *)data + size <= (char *)at->data + at->size &&
                   (size || data == at->data)))
        at = at->next;
    pthread_mutex_unlock(&mutex);
    return at;
}

/* The object itself is the handle of streams, events, modules and functions. */
static struct object *known(enum kind kind, const void *handle)
{
    pthread_mutex_lock(&mutex);
    struct object *at = objects;
    while (at && !(at == handle && at->kind == kind))
        at = at->next;
    pthread_mutex_unlock(&mutex);
    return at;
}

static void wait_for_all(void)
{
    pthread_mutex_lock(&mutex);
    for (struct object *at = objects; at; at = at->next)
        if (at->kind == STREAM)
            late_stream_wait(at->data);
    pthread_mutex_unlock(&mutex);
}

__attribute__((destructor)) static void count_left(void)
{
    int left = 0;
    for (struct object *at = objects; at; at = at->next)
        left += at->kind != GLOBAL;
    if (left == 0 && depth == 0)
        return;
    printf("FAILED: stand-in: %d objects and %d contexts were not freed\n", left, depth);
    fflush(NULL);
    _exit(9);
}

/* ---- Devices ----------------------------------------------------------------------------------
 */

int NAMED(cuInit, hipInit)(unsigned flags)
{
    return flags ? INVALID_VALUE : 0;
}

int NAMED(cuDriverGetVersion, hipDriverGetVersion)(int *version)
{
    *version = NAMED(13000, 60000000);
    return 0;
}

int NAMED(cuDeviceGetCount, hipGetDeviceCount)(int *count)
{
    *count = 1;
    return 0;
}

int NAMED(cuDeviceGetName, hipDeviceGetName)(char *name, int size, int device)
{
    snprintf(name, (size_t)size, "Stand-in %s", NAMED("of CUDA", "of HIP"));
    return device ? INVALID_DEVICE : 0;
}

int NAMED(cuDeviceTotalMem_v2, hipDeviceTotalMem)(size_t *bytes, int device)
{
    *bytes = MEMORY;
    return device ? INVALID_DEVICE : 0;
}

int NAMED(cuDeviceGetPCIBusId, hipDeviceGetPCIBusId)(char *text, int size, int device)
{
    snprintf(text, (size_t)size, NAMED("0000:AF:00.0", "0000:af:00.0"));
    return device ? INVALID_DEVICE : 0;
}

int NAMED(cuDeviceGetAttribute, hipDeviceGetAttribute)(int *value, int which, int device)
{
    const char *newer = getenv("STANDIN_NEWER"); /* than the compiler */
    switch (which) {
    case NAMED(1, 56): /* threads of a work group */
    case NAMED(2, 26):
    case NAMED(3, 27):
        *value = MOST_THREADS;
        break;
    case NAMED(4, 28):
        *value = 64;
        break;
    case NAMED(5, 29): /* work groups */
        *value = 2147483647;
        break;
    case NAMED(6, 30):
    case NAMED(7, 31):
        *value = 65535;
        break;
    case NAMED(8, 74): /* local memory */
        *value = MOST_LOCAL;
        break;
    case NAMED(9, 83): /* constant memory */
        *value = 64 << 10;
        break;
    case NAMED(75, -1): /* compute capability */
        *value = newer ? 12 : 8;
        break;
    case NAMED(76, -2):
        *value = newer ? 0 : 6;
        break;
    default:
        *value = 0;
    }
    return device ? INVALID_DEVICE : 0;
}

#if STANDIN_HIP
const char *hipGetErrorName(int error)
{
    return error == OUT_OF_MEMORY ? "hipErrorOutOfMemory" : "hipErrorOfStandIn";
}

int hipGetDevice(int *device)
{
    *device = 0;
    return 0;
}

int hipSetDevice(int device)
{
    return device ? INVALID_DEVICE : 0;
}

/* The architecture's name is somewhere in the struct, as in HIP 6. */
int hipGetDevicePropertiesR0600(void *properties, int device)
{
    memset(properties, 0, 1472);
    snprintf(properties, 256, "gfx card");
    snprintf((char *)properties + 1160, 256, "gfx1030:sramecc+:xnack-");
    return device ? INVALID_DEVICE : 0;
}

static int no_context(void)
{
    return 0;
}
#else
int cuDeviceGet(int *device, int index)
{
    *device = index;
    return index ? INVALID_DEVICE : 0;
}

int cuGetErrorName(int error, const char **name)
{
    *name = error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_STAND_IN";
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = &objects;
    return device ? INVALID_DEVICE : 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    return device ? INVALID_DEVICE : 0;
}

int cuCtxPushCurrent_v2(void *context)
{
    depth++;
    return context == &objects ? 0 : INVALID_CONTEXT;
}

int cuCtxPopCurrent_v2(void **context)
{
    if (depth == 0)
        return INVALID_CONTEXT;
    *context = &objects;
    depth--;
    return 0;
}

static int no_context(void)
{
    return depth > 0 ? 0 : INVALID_CONTEXT;
}
#endif

/* ---- Memory -----------------------------------------------------------------------------------
 */

static int new_memory(enum kind kind, void **to, size_t bytes)
{
    void *data = NULL;
    if (no_context())
        return INVALID_CONTEXT;
    if (bytes == 0)
        return INVALID_VALUE;
    if (used + bytes > MEMORY || posix_memalign(&data, 4096, bytes) != 0)
        return OUT_OF_MEMORY;
    memset(data, 0xA5, bytes);
    add(kind, data, bytes, NULL);
    *to = data;
    return 0;
}

static int free_memory(enum kind kind, void *data)
{
    struct object *object = find(kind, data, 0);
    if (no_context() || !object)
        return no_context() ? INVALID_CONTEXT : INVALID_VALUE;
    wait_for_all();
    drop(object);
    free(data);
    return 0;
}

int NAMED(cuMemAlloc_v2, hipMalloc)(void **to, size_t bytes)
{
    return new_memory(BUFFER, to, bytes);
}

int NAMED(cuMemFree_v2, hipFree)(void *data)
{
    return free_memory(BUFFER, data);
}

int NAMED(cuMemHostAlloc, hipHostMalloc)(void **to, size_t bytes, unsigned flags)
{
    return flags ? INVALID_VALUE : new_memory(HOST, to, bytes);
}

int NAMED(cuMemFreeHost, hipHostFree)(void *data)
{
    return free_memory(HOST, data);
}

/* ---- Streams ----------------------------------------------------------------------------------
 */

int NAMED(cuStreamCreate, hipStreamCreateWithFlags)(void **to, unsigned flags)
{
    if (no_context() || flags != 1)
        return no_context() ? INVALID_CONTEXT : INVALID_VALUE;
    *to = add(STREAM, late_stream_new(), 0, NULL);
    return 0;
}

int NAMED(cuStreamDestroy_v2, hipStreamDestroy)(void *handle)
{
    struct object *stream = known(STREAM, handle);
    if (!stream)
        return INVALID_VALUE;
    struct late_stream *late = stream->data;
    drop(stream); /* before it is freed: other threads may wait for all streams */
    late_stream_free(late);
    return 0;
}

int NAMED(cuStreamSynchronize, hipStreamSynchronize)(void *handle)
{
    struct object *stream = known(STREAM, handle);
    if (no_context() || !stream)
        return INVALID_VALUE;
    return late_stream_wait(stream->data) ? LAUNCH_FAILED : 0;
}

int NAMED(cuEventCreate, hipEventCreateWithFlags)(void **to, unsigned flags)
{
    double *clock = no_context() || flags ? NULL : calloc(1, sizeof *clock);
    if (!clock)
        return INVALID_VALUE;
    *to = add(EVENT, clock, 0, NULL);
    return 0;
}

int NAMED(cuEventDestroy_v2, hipEventDestroy)(void *handle)
{
    struct object *event = known(EVENT, handle);
    if (no_context() || !event)
        return INVALID_VALUE;
    wait_for_all();
    free(event->data);
    drop(event);
    return 0;
}

int NAMED(cuEventRecord, hipEventRecord)(void *handle, void *on)
{
    struct object *event = known(EVENT, handle), *stream = known(STREAM, on);
    if (no_context() || !event || !stream)
        return INVALID_VALUE;
    *(double *)event->data = 0;
    return late_stream_add(stream->data, &(struct late_step){.clock = event->data}) ? OUT_OF_MEMORY
                                                                                    : 0;
}

int NAMED(cuEventElapsedTime, hipEventElapsedTime)(float *ms, void *from, void *to)
{
    struct object *first = known(EVENT, from), *last = known(EVENT, to);
    if (no_context() || !first || !last)
        return INVALID_VALUE;
    if (*(double *)first->data == 0 || *(double *)last->data == 0)
        return NOT_READY;
    *ms = (float)((*(double *)last->data - *(double *)first->data) * 1e3);
    return 0;
}

static int copy(void *to, const void *from, size_t bytes, const void *on_device, void *handle)
{
    struct object *stream = known(STREAM, handle);
    struct late_step step = {.to = to, .from = from, .size = bytes};
    if (no_context() || !stream || bytes == 0 ||
        (!find(BUFFER, on_device, bytes) && !find(GLOBAL, on_device, bytes)))
        return INVALID_VALUE;
    return late_stream_add(stream->data, &step) ? OUT_OF_MEMORY : 0;
}

int NAMED(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync)(void *to, const void *from, size_t bytes,
                                                    void *stream)
{
    return copy(to, from, bytes, to, stream);
}

int NAMED(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync)(void *to, const void *from, size_t bytes,
                                                    void *stream)
{
    return copy(to, from, bytes, from, stream);
}

/* ---- Programs ---------------------------------------------------------------------------------
 */

/* Every module is loaded as a separate library, with separate constants. */
static void *load_library(const char *data, size_t size)
{
    char path[] = "/tmp/swathe-standin-XXXXXX.so";
    int file = mkstemps(path, 3);
    int good = file >= 0 && write(file, data, size) == (ssize_t)size;
    if (file >= 0)
        close(file);
    void *library = good ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(path);
    return library;
}

int NAMED(cuModuleLoadData, hipModuleLoadData)(void **to, const void *image)
{
    struct standin_head head;
    if (no_context())
        return INVALID_CONTEXT;
    if (memcmp(image, STANDIN_MAGIC, sizeof STANDIN_MAGIC) != 0)
        return INVALID_IMAGE;
    memcpy(&head, image, sizeof head);
    void *library = load_library((const char *)image + sizeof head, head.size);
    if (!library)
        return INVALID_IMAGE;
    void (**barrier)(void) = dlsym(library, "standin_barrier");
    *barrier = fiber_barrier;
    *to = add(MODULE, library, 0, NULL);
    return 0;
}

static struct object *part_of(const struct object *module)
{
    pthread_mutex_lock(&mutex);
    struct object *at = objects;
    while (at && at->module != module)
        at = at->next;
    pthread_mutex_unlock(&mutex);
    return at;
}

int NAMED(cuModuleUnload, hipModuleUnload)(void *handle)
{
    struct object *module = known(MODULE, handle), *part;
    if (no_context() || !module)
        return INVALID_VALUE;
    wait_for_all();
    while ((part = part_of(module)))
        drop(part);
    dlclose(module->data);
    drop(module);
    return 0;
}

int NAMED(cuModuleGetFunction, hipModuleGetFunction)(void **to, void *handle, const char *name)
{
    struct object *module = known(MODULE, handle);
    void *kernel = module ? dlsym(module->data, name) : NULL;
    if (!kernel)
        return NOT_FOUND;
    *to = add(FUNCTION, kernel, 0, module);
    return 0;
}

int NAMED(cuModuleGetGlobal_v2, hipModuleGetGlobal)(void **to, size_t *size, void *handle,
                                                    const char *name)
{
    struct object *module = known(MODULE, handle);
    void *global = module ? dlsym(module->data, name) : NULL;
    const ElfW(Sym) * symbol;
    Dl_info info;
    if (!global || !dladdr1(global, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
        return NOT_FOUND;
    add(GLOBAL, global, symbol->st_size, module);
    *size = symbol->st_size;
    *to = global;
    return 0;
}

int NAMED(cuFuncGetAttribute, hipFuncGetAttribute)(int *value, int which, void *handle)
{
    *value = MOST_THREADS;
    return which == 0 && known(FUNCTION, handle) ? 0 : INVALID_VALUE;
}

int NAMED(cuLaunchKernel, hipModuleLaunchKernel)(void *handle, unsigned gx, unsigned gy,
                                                 unsigned gz, unsigned tx, unsigned ty, unsigned tz,
                                                 unsigned shared, void *on, void **arguments,
                                                 void **extra)
{
    struct object *function = known(FUNCTION, handle), *stream = known(STREAM, on);
    if (no_context() || !function || !stream || shared > MOST_LOCAL || extra || gx * gy * gz == 0 ||
        tx * ty * tz == 0 || tx * ty * tz > MOST_THREADS || gy > 65535 || gz > 65535)
        return INVALID_VALUE;
    struct late_step step = {.module = function->module->data,
                             .launch = {.grid = {gx, gy, gz}, .group = {tx, ty, tz}}};
    memcpy(&step.launch.kernel, &function->data, sizeof function->data);
    for (int i = 0; i < FIBER_BUFFERS; i++) {
        step.launch.buffers[i] = *(void **)arguments[i];
        if (!find(BUFFER, step.launch.buffers[i], 1))
            return INVALID_VALUE;
    }
    memcpy(&step.launch.task, arguments[FIBER_BUFFERS], sizeof step.launch.task);
    for (int i = 0; i < FIBER_PLANES; i++) {
        step.launch.planes[i] = *(void **)arguments[FIBER_BUFFERS + 1 + i];
        if (step.launch.planes[i] && !find(BUFFER, step.launch.planes[i], 1))
            return INVALID_VALUE;
    }
    return late_stream_add(stream->data, &step) ? OUT_OF_MEMORY : 0;
}
