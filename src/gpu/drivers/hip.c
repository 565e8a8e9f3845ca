#include "gpu/drivers/device.h"
#include "gpu/drivers/runtime.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
    OUT_OF_MEMORY = 2,
    OLDEST = 50000000 /* HIP 5.0; earlier versions number attributes
                       * differently */
};

/* The struct of device properties has changed its layout twice, and two functions of the same name
 * fill different layouts. No layout is longer than this. */
enum { PROPERTIES = 16384 };

/* Functions that only HIP has. */
static struct {
    const char *(*hipGetErrorName)(int);
    int (*hipGetDevice)(int *);
    int (*hipSetDevice)(int);
    int (*hipGetDeviceProperties)(void *, int);
} own;

static struct runtime hip = {
    .back_end = gpu_name_hip,
    .numbers = {.group = 56,
                .group_side = {26, 27, 28},
                .grid = {29, 30, 31},
                .local = 74,
                .constant = 83,
                .integrated = 16},
    .out_of_memory = OUT_OF_MEMORY,
    .rtc = {.name = "hipRTC"},
};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *hip_error_name(int error)
{
    const char *name = own.hipGetErrorName(error);
    return name ? name : "an unknown error";
}

/* In HIP a context is the device itself. */
static int hip_retain(int handle, void **context)
{
    int before, error = own.hipGetDevice(&before);
    *context = NULL;
    if (error == 0)
        error = own.hipSetDevice(handle);
    if (error == 0 && before != handle)
        own.hipSetDevice(before);
    return error;
}

static void hip_release(int handle)
{
    (void)handle;
}

static int hip_enter(const struct runtime_device *device, int *before)
{
    int error = own.hipGetDevice(before);
    return error ? error : own.hipSetDevice(device->handle);
}

static void hip_leave(const struct runtime_device *device, int before)
{
    if (before != device->handle)
        own.hipSetDevice(before);
}

/* Length of a name like "gfx90a:sramecc+:xnack-" at the start of a text; 0: the text has another
 * form. */
static size_t target_length(const char *text)
{
    size_t length = 3;
    if (strncmp(text, "gfx", length) != 0 || !isxdigit((unsigned char)text[length]))
        return 0;
    while (isalnum((unsigned char)text[length]) || (text[length] && strchr(":+-_", text[length])))
        length++;
    return text[length] ? 0 : length;
}

/* The properties contain the architecture's name as a string. Its offset depends on the version, so
 * the string is found by its form. */
static void hip_describe(int handle, struct gpu_info *info)
{
    char properties[PROPERTIES + 1] = {0};
    if (own.hipGetDeviceProperties(properties, handle) != 0)
        return;
    for (size_t i = 1; i < PROPERTIES; i++) {
        size_t length = properties[i - 1] ? 0 : target_length(properties + i);
        if (length > 0 && length < sizeof info->target) {
            memcpy(info->target, properties + i, length + 1);
            return;
        }
    }
}

static swathe_status hip_compile(const struct runtime_device *device, const char *source,
                                 const char *const *options, int32_t count,
                                 struct gpu_binary *binary)
{
    /* Options that the contract's arithmetic requires: no contraction, no flushing of denormals. */
    static const char *const fixed[] = {"-O3", "-ffp-contract=off",
                                        "-fno-gpu-flush-denormals-to-zero"};
    enum { FIXED = sizeof fixed / sizeof *fixed };
    const char *all[RTC_OPTIONS_MAX];
    char arch[GPU_NAME + 32];
    int32_t used = 0;
    if (count > RTC_OPTIONS_MAX - FIXED - 1)
        return fail(SWATHE_ERROR_INTERNAL, "%d options for hipRTC", count);
    snprintf(arch, sizeof arch, "--offload-arch=%s", device->info.target);
    if (*device->info.target) /* without it hipRTC compiles for the current device */
        all[used++] = arch;
    for (int32_t i = 0; i < FIXED; i++)
        all[used++] = fixed[i];
    for (int32_t i = 0; i < count; i++)
        all[used++] = options[i];
    return rtc_compile(&hip.rtc, device->memory, source, all, used, false, binary);
}

static bool find_properties(void *library)
{
    const struct library_symbol now[] = {{"hipGetDevicePropertiesR0600",
                                          &own.hipGetDeviceProperties}},
                                old[] = {{"hipGetDeviceProperties", &own.hipGetDeviceProperties}};
    return library_find(library, now, 1, hip.note, sizeof hip.note) ||
           library_find(library, old, 1, hip.note, sizeof hip.note);
}

static bool find_functions(void *library)
{
    const struct library_symbol symbols[] = {
#define RUNTIME(member, arguments, cuda_name, hip_name) {hip_name, &hip.api.member},
#include "gpu/drivers/runtime.def"
#undef RUNTIME
        {"hipGetErrorName", &own.hipGetErrorName},
        {"hipGetDevice", &own.hipGetDevice},
        {"hipSetDevice", &own.hipSetDevice},
    };
    return library_find(library, symbols, sizeof symbols / sizeof *symbols, hip.note,
                        sizeof hip.note) &&
           find_properties(library);
}

static bool find_compiler(void *library)
{
    const struct library_symbol symbols[] = {
#define RTC(member, arguments, nvrtc_name, hiprtc_name) {hiprtc_name, &hip.rtc.member},
#include "gpu/drivers/rtc.def"
#undef RTC
        {"hiprtcGetErrorString", &hip.rtc.error_name},
    };
    return library_find(library, symbols, sizeof symbols / sizeof *symbols, hip.note,
                        sizeof hip.note) &&
           hip.rtc.version(&hip.rtc.major, &hip.rtc.minor) == 0;
}

/* The compiler is part of the driver's library, or of a library of the same version in the same
 * directory. */
static bool hip_load_compiler(void *library, const char *driver_name)
{
    const char *suffix = strstr(driver_name, ".so"), *which;
    char name[64];
    const char *const names[] = {name, "libhiprtc.so", NULL};
    if (find_compiler(library))
        return true;
    snprintf(name, sizeof name, "libhiprtc%s", suffix ? suffix : ".so");
    library = library_open(names, &which, hip.note, sizeof hip.note);
    return library && find_compiler(library);
}

static bool hip_load_driver(void)
{
    static const char *const names[] = {"libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so.7",
                                        "libamdhip64.so", NULL};
    const char *which;
    void *library = library_open(names, &which, hip.note, sizeof hip.note);
    return library && find_functions(library) && hip_load_compiler(library, which);
}

static void hip_load(void)
{
    int version = 0;
    hip.error_name = hip_error_name;
    hip.retain = hip_retain;
    hip.release = hip_release;
    hip.enter = hip_enter;
    hip.leave = hip_leave;
    hip.describe = hip_describe;
    hip.compile = hip_compile;
    if (!hip_load_driver() || !runtime_start(&hip))
        return;
    if (hip.api.version(&version) != 0 || version < OLDEST) {
        snprintf(hip.note, sizeof hip.note, "HIP %d is older than 5.0", version);
        hip.count = 0;
    }
}

static void hip_list(struct gpu_list *list)
{
    pthread_once(&once, hip_load);
    runtime_list(&hip, list);
}

static swathe_status hip_open_device(const struct memory *memory, int32_t index, void **device)
{
    pthread_once(&once, hip_load);
    return runtime_open(&hip, memory, index, device);
}

const struct gpu_calls gpu_calls_hip = RUNTIME_CALLS(hip_list, hip_open_device);
