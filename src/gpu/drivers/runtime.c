#include "gpu/drivers/runtime.h"

#include "gpu/drivers/device.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The driver's name for a function. */
const char *runtime_name(const struct runtime *runtime, const char *member)
{
    static const struct {
        const char *member, *cuda, *hip;
    } names[] = {
#define RUNTIME(member, arguments, cuda, hip) {#member, cuda, hip},
#include "gpu/drivers/runtime.def"
#undef RUNTIME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].member, member) == 0)
            return runtime->back_end == gpu_name_cuda ? names[i].cuda : names[i].hip;
    return member;
}

swathe_status runtime_check(const struct runtime *runtime, const char *call, int error)
{
    if (error == 0)
        return SWATHE_OK;
    return failure_of(call, runtime->error_name(error), error == runtime->out_of_memory);
}

bool runtime_start(struct runtime *runtime)
{
    int version = 0, count = 0, error = runtime->api.init(0);
    const char *call = "init";
    if (error == 0) {
        call = "count";
        error = runtime->api.count(&count);
    }
    if (error == 0) {
        call = "version";
        error = runtime->api.version(&version);
    }
    if (error)
        snprintf(runtime->note, sizeof runtime->note, "%s: %s", runtime_name(runtime, call),
                 runtime->error_name(error));
    else if (count <= 0)
        snprintf(runtime->note, sizeof runtime->note, "the driver has no devices");
    if (error || count <= 0)
        return false;
    runtime->count = count < GPU_DEVICES_MAX ? count : GPU_DEVICES_MAX;
    for (int32_t i = 0; i < runtime->count; i++)
        runtime->handles[i] = i;
    snprintf(runtime->driver, sizeof runtime->driver, "%d", version);
    runtime->note[0] = '\0';
    return true;
}

/* Queries an attribute; 0 if the driver does not report it. */
static int runtime_attribute(const struct runtime *runtime, int number, int handle)
{
    int value = 0;
    return runtime->api.attribute(&value, number, handle) == 0 && value > 0 ? value : 0;
}

static void runtime_measure(const struct runtime *runtime, int handle, struct gpu_limits *limits)
{
    const struct runtime_attributes *numbers = &runtime->numbers;
    size_t total = 0;
    if (runtime->api.total(&total, handle) != 0)
        total = 0;
    uint64_t memory = total;
    limits->memory = limits->largest = memory > INT64_MAX ? INT64_MAX : (int64_t)memory;
    limits->local = runtime_attribute(runtime, numbers->local, handle);
    limits->constant = runtime_attribute(runtime, numbers->constant, handle);
    limits->group = runtime_attribute(runtime, numbers->group, handle);
    for (int k = 0; k < 3; k++) {
        limits->group_side[k] = runtime_attribute(runtime, numbers->group_side[k], handle);
        limits->grid[k] = runtime_attribute(runtime, numbers->grid[k], handle);
    }
    /* true for every device that either compiler supports */
    limits->fma = limits->denormals = limits->doubles = true;
    limits->shares_memory = runtime_attribute(runtime, numbers->integrated, handle);
}

static void runtime_describe(const struct runtime *runtime, int32_t index, struct gpu_info *info)
{
    int handle = runtime->handles[index];
    memset(info, 0, sizeof *info);
    info->back_end = runtime->back_end;
    info->index = index;
    info->is_gpu = true;
    runtime->api.name(info->name, sizeof info->name - 1, handle);
    runtime->api.location(info->location, sizeof info->location - 1, handle);
    for (char *at = info->location; *at; at++) /* one spelling for all back ends */
        *at = (char)tolower((unsigned char)*at);
    snprintf(info->driver, sizeof info->driver, "%s, %s %d.%d", runtime->driver, runtime->rtc.name,
             runtime->rtc.major, runtime->rtc.minor);
    runtime_measure(runtime, handle, &info->limits);
    runtime->describe(handle, info);
}

void runtime_list(const struct runtime *runtime, struct gpu_list *list)
{
    memset(list, 0, sizeof *list);
    snprintf(list->note, sizeof list->note, "%s", runtime->note);
    list->count = runtime->count;
    for (int32_t i = 0; i < runtime->count; i++)
        runtime_describe(runtime, i, &list->devices[i]);
}

static swathe_status runtime_check_index(const struct runtime *runtime, int32_t index)
{
    struct gpu_list all = {.count = runtime->count};
    if (index >= 0 && index < runtime->count)
        return SWATHE_OK;
    snprintf(all.note, sizeof all.note, "%s", runtime->note);
    return failure_no_device(runtime->back_end, index, &all);
}

swathe_status runtime_open(const struct runtime *runtime, const struct memory *memory,
                           int32_t index, void **device)
{
    struct runtime_device *got;
    TRY(runtime_check_index(runtime, index));
    TRY(memory_new(memory, 1, sizeof *got, "a device", &got));
    got->memory = memory;
    got->runtime = runtime;
    got->handle = runtime->handles[index];
    runtime_describe(runtime, index, &got->info);
    swathe_status status =
        runtime_check(runtime, "opening the device", runtime->retain(got->handle, &got->context));
    if (status != SWATHE_OK) {
        memory_free(memory, got);
        return status;
    }
    *device = got;
    return SWATHE_OK;
}

void runtime_close(void *handle)
{
    struct runtime_device *device = handle;
    device->runtime->release(device->handle);
    memory_free(device->memory, device);
}

swathe_status runtime_compile(void *handle, const char *source, const char *const *options,
                              int32_t count, struct gpu_binary *binary)
{
    struct runtime_device *device = handle;
    return device->runtime->compile(device, source, options, count, binary);
}
