#include "gpu/drivers/devices.h"

#include "base/nearest_word.h"
#include "base/os_machine.h"
#include "base/os_path.h"
#include "base/text.h"
#include "gpu/drivers/device.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { BACK_ENDS_MAX = 8 };

struct opened {
    struct opened *next;
    struct gpu_device device;
};

struct gpu_devices {
    const struct memory *memory;
    char *programs; /* directory of compiled programs, or NULL */
    pthread_mutex_t mutex;
    struct gpu_list *lists[BACK_ENDS_MAX]; /* NULL: not queried yet */
    struct opened *opened;
};

static swathe_status gpu_devices_copy_text(const struct memory *memory, const char *text,
                                           char **copy)
{
    if (!text)
        return SWATHE_OK;
    TRY(memory_new(memory, (int64_t)strlen(text) + 1, 1, "a context", copy));
    memcpy(*copy, text, strlen(text));
    return SWATHE_OK;
}

swathe_status gpu_devices_create(const struct memory *memory, const char *programs,
                                 struct gpu_devices **devices)
{
    struct gpu_devices *got;
    if (programs && strlen(programs) >= OS_PATH)
        return fail(SWATHE_ERROR_ARGUMENT, "programs: a path of %zu bytes, the limit is %d",
                    strlen(programs), OS_PATH - 1);
    TRY(memory_new(memory, 1, sizeof *got, "a context", &got));
    got->memory = memory;
    swathe_status status = gpu_devices_copy_text(memory, programs, &got->programs);
    if (status != SWATHE_OK) {
        memory_free(memory, got);
        return status;
    }
    pthread_mutex_init(&got->mutex, NULL);
    *devices = got;
    return SWATHE_OK;
}

const char *gpu_devices_programs(const struct gpu_devices *devices)
{
    return devices->programs;
}

bool gpu_device_is_usable(const struct gpu_device *device)
{
    return device->process == os_process();
}

static void free_opened(struct opened *opened)
{
    struct gpu_device *device = &opened->device;
    const struct memory *memory = device->memory;
    gpu_programs_destroy(device->programs);
    if (device->handle && gpu_device_is_usable(device))
        device->calls->close(device->handle);
    memory_free(memory, opened);
}

void gpu_devices_destroy(struct gpu_devices *devices)
{
    if (!devices)
        return;
    for (struct opened *at = devices->opened, *next; at; at = next) {
        next = at->next;
        free_opened(at);
    }
    for (int i = 0; i < BACK_ENDS_MAX; i++)
        memory_free(devices->memory, devices->lists[i]);
    pthread_mutex_destroy(&devices->mutex);
    memory_free(devices->memory, devices->programs);
    memory_free(devices->memory, devices);
}

/* Queries a driver for its devices, once. */
static swathe_status gpu_devices_ask(struct gpu_devices *devices, int index)
{
    struct gpu_list *list;
    if (devices->lists[index])
        return SWATHE_OK;
    TRY(memory_new(devices->memory, 1, sizeof *list, "a list of devices", &list));
    gpu_back_end_at(index)->calls->list(list);
    for (int32_t i = 0; i < list->count; i++) {
        struct gpu_info *info = &list->devices[i];
        snprintf(info->id, sizeof info->id, "%s:%d", info->back_end, info->index);
    }
    devices->lists[index] = list;
    return SWATHE_OK;
}

/* Records the first device in lists before `index` that is the same card. */
static void mark_same(const struct gpu_devices *devices, int index, struct gpu_info *info)
{
    for (int b = 0; b < index && *info->location; b++)
        for (int32_t i = 0; i < devices->lists[b]->count; i++) {
            const struct gpu_info *before = &devices->lists[b]->devices[i];
            if (strcmp(before->location, info->location) == 0 && !*info->same)
                memcpy(info->same, before->id, sizeof info->same);
        }
}

static swathe_status ask_up_to(struct gpu_devices *devices, int last)
{
    for (int b = 0; b <= last && gpu_back_end_at(b); b++) {
        TRY(gpu_devices_ask(devices, b));
        for (int32_t i = 0; i < devices->lists[b]->count; i++)
            mark_same(devices, b, &devices->lists[b]->devices[i]);
    }
    return SWATHE_OK;
}

const struct gpu_list *gpu_devices_list(struct gpu_devices *devices, int index)
{
    static const struct gpu_list unknown = {.note = "too little memory to list its devices"};
    if (index >= BACK_ENDS_MAX || !gpu_back_end_at(index))
        return NULL;
    pthread_mutex_lock(&devices->mutex);
    swathe_status status = ask_up_to(devices, index);
    pthread_mutex_unlock(&devices->mutex);
    return status == SWATHE_OK ? devices->lists[index] : &unknown;
}

static struct gpu_device *find_opened(struct gpu_devices *devices, const char *id)
{
    for (struct opened *at = devices->opened; at; at = at->next)
        if (strcmp(at->device.info.id, id) == 0)
            return &at->device;
    return NULL;
}

bool gpu_devices_is_open(struct gpu_devices *devices, const char *id)
{
    pthread_mutex_lock(&devices->mutex);
    bool found = find_opened(devices, id) != NULL;
    pthread_mutex_unlock(&devices->mutex);
    return found;
}

static swathe_status gpu_devices_fill(struct gpu_device *device, const struct gpu_info *info)
{
    device->info = *info;
    TRY(gpu_programs_create(device->memory, &device->programs));
    return device->calls->open(device->memory, info->index, &device->handle);
}

static swathe_status open_one(struct gpu_devices *devices, const struct gpu_back_end *back_end,
                              const struct gpu_info *info, struct gpu_device **device)
{
    struct opened *opened;
    *device = find_opened(devices, info->id);
    if (*device)
        return SWATHE_OK;
    TRY(memory_new(devices->memory, 1, sizeof *opened, "a device", &opened));
    opened->device.memory = devices->memory;
    opened->device.process = os_process();
    opened->device.calls = back_end->calls;
    opened->device.program_directory = devices->programs;
    swathe_status status = gpu_devices_fill(&opened->device, info);
    if (status != SWATHE_OK) {
        free_opened(opened);
        return status;
    }
    opened->next = devices->opened;
    devices->opened = opened;
    *device = &opened->device;
    return SWATHE_OK;
}

/* Lists all devices for an error message. */
static void describe_all(const struct gpu_devices *devices, struct text *out)
{
    for (int b = 0; gpu_back_end_at(b); b++) {
        const struct gpu_list *list = devices->lists[b];
        const char *name = gpu_back_end_at(b)->name;
        if (list->count == 0)
            text_add(out, "; %s: %s", name, *list->note ? list->note : "no devices");
        for (int32_t i = 0; i < list->count; i++)
            text_add(out, "; %s:%d is %s%s", name, i, list->devices[i].is_gpu ? "" : "the CPU, ",
                     list->devices[i].name);
    }
}

/* Opens the first GPU that can be opened. If none can, reports the error of the first one. */
static swathe_status gpu_devices_open_any(struct gpu_devices *devices, struct gpu_device **device)
{
    char all[ERROR_TEXT_SIZE];
    struct text out;
    swathe_status first = SWATHE_OK;
    TRY(ask_up_to(devices, BACK_ENDS_MAX));
    text_init(&out, all, sizeof all);
    for (int b = 0; gpu_back_end_at(b); b++)
        for (int32_t i = 0; i < devices->lists[b]->count; i++) {
            const struct gpu_info *info = &devices->lists[b]->devices[i];
            if (!info->is_gpu)
                continue;
            swathe_status status = open_one(devices, gpu_back_end_at(b), info, device);
            if (status == SWATHE_OK)
                return SWATHE_OK;
            if (first == SWATHE_OK)
                text_add(&out, "%s", fail_text());
            first = first == SWATHE_OK ? status : first;
        }
    if (first != SWATHE_OK)
        return fail(first, "%s", all);
    describe_all(devices, &out);
    return fail(SWATHE_ERROR_UNSUPPORTED, "no GPU%s; use device cpu, or name one of these", all);
}

static swathe_status unknown_name(const char *name)
{
    struct nearest nearest;
    struct text list;
    char hint[64], all[128];
    if (strcmp(name, "cpu") == 0 || strcmp(name, "auto") == 0)
        return fail(SWATHE_ERROR_ARGUMENT, "device %s is not a GPU; name one, as in opencl:0",
                    name);
    nearest_start(&nearest, name);
    nearest_offer_list(&nearest, "cpu,gpu,auto", ',');
    text_init(&list, all, sizeof all);
    for (int b = 0; gpu_back_end_at(b); b++) {
        nearest_offer(&nearest, gpu_back_end_at(b)->name);
        text_add(&list, "%s%s:0", b ? ", " : "", gpu_back_end_at(b)->name);
    }
    return fail(SWATHE_ERROR_ARGUMENT,
                "no device '%.40s': devices are cpu, gpu, auto, or as in %s%s", name, all,
                nearest_hint(&nearest, "", hint, sizeof hint));
}

/* The first GPU of a list, or its first device if it has no GPU. */
static int32_t first_gpu(const struct gpu_list *list)
{
    for (int32_t i = 0; i < list->count; i++)
        if (list->devices[i].is_gpu)
            return i;
    return 0;
}

/* "opencl" or "opencl:0" */
static swathe_status gpu_devices_open_named(struct gpu_devices *devices, const char *name,
                                            struct gpu_device **device)
{
    char word[32];
    int64_t index = -1;
    size_t length = strcspn(name, ":");
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : 0), name);
    const struct gpu_back_end *back_end = gpu_back_end_named(word);
    if (!back_end || (name[length] && (!text_to_int(name + length + 1, &index) || index < 0)))
        return unknown_name(name);
    int b = 0;
    while (gpu_back_end_at(b) != back_end)
        b++;
    TRY(gpu_devices_ask(devices, b));
    const struct gpu_list *list = devices->lists[b];
    if (index < 0)
        index = first_gpu(list);
    if (index >= list->count)
        return failure_no_device(word, (int32_t)(index < INT32_MAX ? index : INT32_MAX), list);
    return open_one(devices, back_end, &list->devices[index], device);
}

swathe_status gpu_devices_open(struct gpu_devices *devices, const char *name,
                               struct gpu_device **device)
{
    struct gpu_device *got = NULL;
    bool any = strcmp(name, "gpu") == 0;
    pthread_mutex_lock(&devices->mutex);
    swathe_status status =
        any ? gpu_devices_open_any(devices, &got) : gpu_devices_open_named(devices, name, &got);
    pthread_mutex_unlock(&devices->mutex);
    if (status == SWATHE_OK)
        *device = got;
    return status;
}
