/* Compiled programs are found again in memory and on disk, but not if anything that they depend on
 * differs, and damaged ones are compiled again. program_cache DIRECTORY [BACK_END [MUST]] */
#define _GNU_SOURCE
#include "../core/shorthand.h"
#include "gpu/drivers/device.h"
#include "gpu/drivers/devices.h"
#include "swathe/swathe.h"
#include "tiny.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name;
static const char *asked; /* directory that a context specified, or NULL */
static int passed, failed;
static atomic_int compiled;
static const struct gpu_calls *inner;

static swathe_status compile(void *device, const char *source, const char *const *options,
                             int32_t count, struct gpu_binary *binary)
{
    atomic_fetch_add(&compiled, 1);
    return inner->compile(device, source, options, count, binary);
}

static void verdict(bool good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: compiled %d times: %s\n", what, atomic_load(&compiled), fail_text());
}

static swathe_status make(struct gpu_device *device, const char *option)
{
    const char *const options[] = {option, "-DCONSTANT_TAPS"};
    int mask[2] = {0, 1};
    void *program;
    TRY(gpu_program_make(device, tiny_source(), options, 2, "tiny", mask, sizeof mask, &program));
    device->calls->unload(device->handle, program);
    return SWATHE_OK;
}

/* The number of compilations for `times` programs, as in a new process. */
static int count(const char *option, int times)
{
    struct gpu_devices *devices;
    struct gpu_device *device;
    atomic_store(&compiled, 0);
    if (gpu_devices_create(&memory_default, asked, &devices) != SWATHE_OK)
        return -1;
    swathe_status status = gpu_devices_open(devices, name, &device);
    for (int i = 0; i < times && status == SWATHE_OK; i++)
        status = make(device, option);
    gpu_devices_destroy(devices);
    return status == SWATHE_OK ? atomic_load(&compiled) : -1;
}

enum change { CUT, FLIP, EMPTY, REMOVE };

static void change_file(const char *path, enum change change)
{
    struct stat about;
    FILE *file = fopen(path, "r+b");
    if (!file || stat(path, &about) != 0)
        return;
    if (change == FLIP) {
        fseek(file, about.st_size / 2, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, about.st_size / 2, SEEK_SET);
        fputc(byte ^ 1, file);
    }
    fclose(file);
    if (change == CUT || change == EMPTY)
        verdict(truncate(path, change == CUT ? about.st_size - 1 : 0) == 0, "truncate");
    if (change == REMOVE)
        unlink(path);
}

/* Changes every file; returns the number of files. */
static int change_all(const char *folder, enum change change)
{
    DIR *open = opendir(folder);
    int files = 0;
    for (struct dirent *at; open && (at = readdir(open));) {
        char path[PATH_MAX];
        if (at->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, at->d_name);
        change_file(path, change);
        files++;
    }
    if (open)
        closedir(open);
    return files;
}

static void check(const char *folder)
{
    verdict(count("-DADDED=1", 3) == 1, "a program is compiled once");
    verdict(count("-DADDED=1", 2) == 0, "and then found on disk");
    verdict(count("-DADDED=2", 2) == 1, "another option is another program");
    verdict(count("-DADDED=3", 1) == 1, "and another");
    static const char *const what[] = {"cut off", "changed", "emptied"};
    for (int change = CUT; change <= EMPTY; change++) {
        verdict(change_all(folder, (enum change)change) == 3, "one file each");
        verdict(count("-DADDED=1", 2) == 1, what[change]);
        verdict(count("-DADDED=1", 2) == 0, "and repaired");
        count("-DADDED=2", 1);
        count("-DADDED=3", 1);
    }
    setenv("SWATHE_GPU_CACHE", "off", 1);
    verdict(count("-DADDED=1", 2) == 1, "no files: memory only");
    setenv("SWATHE_GPU_CACHE", "/dev/null/x", 1);
    verdict(count("-DADDED=1", 2) == 1, "a directory that cannot be created");
    unsetenv("SWATHE_GPU_CACHE");
    setenv("XDG_CACHE_HOME", folder, 1);
    verdict(count("-DADDED=1", 2) == 1 && count("-DADDED=1", 2) == 0, "the user's cache");
}

/* The same through the public options: compilations of one run in a new context. */
static int count_context(void)
{
    uint8_t samples[2][64] = {{0}};
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_plan_options plan = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = {0};
    swathe_image views[2] = {SWATHE_INIT(swathe_image), SWATHE_INIT(swathe_image)};
    swathe_context *context;
    shape.width = shape.height = 8;
    shape.channels = 1;
    shape.type = SWATHE_U8;
    options.wisdom = "off";
    options.programs = asked;
    plan.device = name;
    atomic_store(&compiled, 0);
    for (int i = 0; i < 2; i++)
        if (swathe_image_init(&shape, SWATHE_PLANAR, samples[i], &views[i]) != SWATHE_OK)
            return -1;
    if (swathe_context_create(&options, &context) != SWATHE_OK)
        return -1;
    swathe_status status = filter_with(context, "box:3", &views[0], &views[1], &plan);
    swathe_context_destroy(context);
    return status == SWATHE_OK ? atomic_load(&compiled) : -1;
}

/* A directory specified for a context overrides the environment. */
static void check_asked(const char *folder)
{
    static char below[PATH_MAX + 16], long_name[PATH_MAX + 1];
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_context *context = NULL;
    snprintf(below, sizeof below, "%s/asked", folder);
    setenv("SWATHE_GPU_CACHE", folder, 1);
    asked = "off";
    verdict(count("-DADDED=1", 2) == 1, "off: memory only, whatever the environment specifies");
    verdict(count_context() == 1 && count_context() == 1, "off: every context compiles");
    setenv("SWATHE_GPU_CACHE", "off", 1);
    asked = below;
    verdict(count("-DADDED=1", 2) == 1 && count("-DADDED=1", 2) == 0,
            "a directory that was specified");
    verdict(count_context() == 1 && count_context() == 0, "and by a context");
    verdict(change_all(below, REMOVE) == 2, "two programs are stored");
    rmdir(below);
    memset(long_name, 'x', PATH_MAX);
    options.programs = long_name;
    verdict(swathe_context_create(&options, &context) == SWATHE_ERROR_ARGUMENT && !context,
            "a path that is too long");
    asked = NULL;
}

static struct gpu_device *shared;

static void *work(void *failures)
{
    for (int i = 0; i < 8; i++) {
        char option[32];
        snprintf(option, sizeof option, "-DADDED=%d", i % 4);
        if (make(shared, option) != SWATHE_OK)
            atomic_fetch_add((atomic_int *)failures, 1);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t thread[4];
    struct gpu_devices *devices;
    atomic_int failures = 0;
    setenv("SWATHE_GPU_CACHE", "off", 1);
    if (gpu_devices_create(&memory_default, NULL, &devices) != SWATHE_OK ||
        gpu_devices_open(devices, name, &shared) != SWATHE_OK)
        exit(1); /* it could be opened before */
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, &failures);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    gpu_devices_destroy(devices);
    verdict(failures == 0, "four threads at the same time");
}

int main(int argc, char **argv)
{
    char folder[PATH_MAX], below[PATH_MAX + 16];
    static struct gpu_calls calls;
    name = argc > 2 ? argv[2] : "opencl";
    snprintf(folder, sizeof folder, "%s/swathe-gpu-XXXXXX", argc > 1 ? argv[1] : "/tmp");
    if (!mkdtemp(folder) || !gpu_back_end_named(name))
        return 1;
    setenv("SWATHE_GPU_CACHE", folder, 1);
    inner = gpu_back_end_named(name)->calls;
    calls = *inner;
    calls.compile = compile;
    gpu_back_end_wrap(name, &calls);
    bool there = count("-DADDED=0", 0) == 0;
    if (there) {
        check(folder);
        check_asked(folder);
        threads();
    } else {
        printf("skipped: program cache of %s (%s)\n", name, fail_text());
    }
    snprintf(below, sizeof below, "%s/swathe/gpu", folder);
    change_all(below, REMOVE);
    rmdir(below);
    snprintf(below, sizeof below, "%s/swathe", folder);
    rmdir(below);
    change_all(folder, REMOVE);
    verdict(rmdir(folder) == 0, "no other files are left");
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 ? 1 : there || argc > 3 ? !there : 77;
}
