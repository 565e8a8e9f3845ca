#include "gpu/drivers/nvrtc.h"

#include "base/os_path.h"

#include <stdio.h>
#include <string.h>

enum { DIRECTORIES_MAX = 16 };

/* Patterns of directories to search. */
struct directories {
    int count;
    char patterns[DIRECTORIES_MAX][OS_PATH];
};

static void add_directory(struct directories *directories, const char *root, const char *below)
{
    char *to = directories->patterns[directories->count];
    if (root && *root == '/' && directories->count < DIRECTORIES_MAX &&
        snprintf(to, OS_PATH, "%s%s", root, below) < OS_PATH)
        directories->count++;
}

/* The parent of the directory with the python3 that a shell would start. */
static const char *python_prefix(char *prefix, size_t size)
{
    const char *path = os_environment("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        int used = snprintf(prefix, size, "%.*s/python3", (int)length, path);
        if (used > 0 && (size_t)used < size && os_can_run(prefix)) {
            char *end = strstr(prefix, "/bin/python3");
            if (end)
                *end = '\0';
            return end ? prefix : NULL;
        }
        path += length + (path[length] == ':');
    }
    return NULL;
}

/* Directories where CUDA toolkits and Python wheels install NVRTC. */
static void fill_directories(struct directories *directories)
{
    static const char wheel[] = "/lib/python3*/site-packages/nvidia/*/lib";
    char prefix[OS_PATH];
    const char *conda = os_environment("CONDA_PREFIX");
    add_directory(directories, os_environment("CUDA_HOME"), "/lib64");
    add_directory(directories, os_environment("CUDA_PATH"), "/lib64");
    add_directory(directories, "/usr/local/cuda", "/lib64");
    add_directory(directories, "/usr/local/cuda-*", "/lib64");
    add_directory(directories, os_environment("VIRTUAL_ENV"), wheel);
    add_directory(directories, conda, "/lib");
    add_directory(directories, conda, wheel);
    add_directory(directories, python_prefix(prefix, sizeof prefix), wheel);
    add_directory(directories, os_environment("HOME"),
                  "/.local/lib/python3*/site-packages/nvidia/*/lib");
    add_directory(directories, "/usr/local", "/lib/python3*/dist-packages/nvidia/*/lib");
}

static bool find_symbols(void *library, struct nvrtc *nvrtc, char *note, size_t size)
{
    struct rtc *rtc = &nvrtc->rtc;
    int (*target_count)(int *), (*targets)(int *);
    const struct library_symbol symbols[] = {
#define RTC(member, arguments, nvrtc_name, hiprtc_name) {nvrtc_name, &rtc->member},
#include "gpu/drivers/rtc.def"
#undef RTC
        {"nvrtcGetErrorString", &rtc->error_name},
        {"nvrtcGetPTXSize", &rtc->text_size},
        {"nvrtcGetPTX", &rtc->text},
        {"nvrtcGetNumSupportedArchs", &target_count},
        {"nvrtcGetSupportedArchs", &targets},
    };
    rtc->name = "NVRTC";
    if (!library_find(library, symbols, sizeof symbols / sizeof *symbols, note, size))
        return false;
    if (rtc->version(&rtc->major, &rtc->minor) != 0 || target_count(&nvrtc->target_count) != 0 ||
        nvrtc->target_count > NVRTC_TARGETS_MAX || targets(nvrtc->targets) != 0) {
        snprintf(note, size, "NVRTC does not report its targets");
        return false;
    }
    return true;
}

/* Tries one file or soname. The note keeps the reason for the first library that exists but cannot
 * be used. */
static bool try_name(const char *name, struct nvrtc *nvrtc, char *note, size_t size)
{
    const char *names[] = {name, NULL}, *which;
    char why[512];
    void *library = library_open(names, &which, why, sizeof why);
    if (library && find_symbols(library, nvrtc, why, sizeof why))
        return true;
    if (!*note && (library || strncmp(why, "no ", 3) != 0))
        snprintf(note, size, "%s", why);
    return false;
}

struct attempt {
    struct nvrtc *nvrtc;
    char *note;
    size_t size;
};

static bool try_path(void *user, const char *path)
{
    const struct attempt *attempt = user;
    return try_name(path, attempt->nvrtc, attempt->note, attempt->size);
}

static bool try_directory(const char *directory, const char *name, struct nvrtc *nvrtc, char *note,
                          size_t size)
{
    char pattern[OS_PATH];
    struct attempt attempt = {nvrtc, note, size};
    if (snprintf(pattern, sizeof pattern, "%s/%s", directory, name) >= (int)sizeof pattern)
        return false;
    return os_any_match(pattern, try_path, &attempt);
}

static bool try_everywhere(const struct directories *directories, const char *name,
                           struct nvrtc *nvrtc, char *note, size_t size)
{
    if (try_name(name, nvrtc, note, size))
        return true;
    for (int i = 0; i < directories->count; i++)
        if (try_directory(directories->patterns[i], name, nvrtc, note, size))
            return true;
    return false;
}

bool nvrtc_find(int driver, struct nvrtc *nvrtc, char *note, size_t size)
{
    /* All releases from 11.2 to 11.8 have the soname 11.2. */
    static const struct {
        int major;
        const char *name;
    } names[] = {{13, "libnvrtc.so.13"}, {12, "libnvrtc.so.12"}, {11, "libnvrtc.so.11.2"}};
    struct directories directories = {0};
    note[0] = '\0';
    fill_directories(&directories);
    for (int newer = 0; newer < 2; newer++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if ((names[i].major > driver / 1000) == newer &&
                try_everywhere(&directories, names[i].name, nvrtc, note, size))
                return true;
    if (try_everywhere(&directories, "libnvrtc.so", nvrtc, note, size))
        return true;
    if (!*note)
        snprintf(note, size, "no libnvrtc.so.%d, NVIDIA's compiler",
                 driver / 1000 < 13 ? driver / 1000 : 13);
    return false;
}

/* The newest target of NVRTC whose code runs on `target`; 0: none. */
static int nvrtc_nearest(const struct nvrtc *nvrtc, int target)
{
    int best = 0;
    for (int i = 0; i < nvrtc->target_count; i++)
        if (nvrtc->targets[i] <= target && nvrtc->targets[i] > best)
            best = nvrtc->targets[i];
    return best;
}

swathe_status nvrtc_compile(const struct nvrtc *nvrtc, const struct memory *memory, int target,
                            const char *source, const char *const *options, int32_t count,
                            struct gpu_binary *binary)
{
    /* Options that the contract's arithmetic requires: denormals, no contraction, exact
     * division. */
    static const char *const fixed[] = {"-ftz=false", "-fmad=false", "-prec-div=true",
                                        "-prec-sqrt=true", "-default-device"};
    enum { FIXED = sizeof fixed / sizeof *fixed };
    const char *all[RTC_OPTIONS_MAX];
    char arch[32];
    int from = nvrtc_nearest(nvrtc, target);
    if (from == 0)
        return fail(
            SWATHE_ERROR_UNSUPPORTED,
            "NVRTC %d.%d does not support sm_%d; install an older version, or use device opencl",
            nvrtc->rtc.major, nvrtc->rtc.minor, target);
    if (count > RTC_OPTIONS_MAX - FIXED - 1)
        return fail(SWATHE_ERROR_INTERNAL, "%d options for NVRTC", count);
    snprintf(arch, sizeof arch, "-arch=%s_%d", from == target ? "sm" : "compute", from);
    all[0] = arch;
    memcpy(all + 1, fixed, sizeof fixed);
    for (int32_t i = 0; i < count; i++)
        all[1 + FIXED + i] = options[i];
    return rtc_compile(&nvrtc->rtc, memory, source, all, 1 + FIXED + count, from != target, binary);
}
