/* Every call of a device fails once, then all calls from there on fail; then every allocation
 * likewise: each run returns an error and leaks nothing. faults_device [BACK_END [MUST]] */
#include "../core/counting.h"
#include "faulty.h"
#include "gpu/drivers/device.h"
#include "gpu/drivers/devices.h"
#include "tiny.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 16 * 4, IN = 0, OUT, TAPS, ROWS, COLUMNS, BUFFERS };

static int tried, failed;

static const struct memory memory = {counting_allocate, counting_release, NULL};

static void verdict(bool good, const char *what)
{
    tried++;
    failed += !good;
    if (!good)
        printf("FAILED: %s: call %lld, allocation %lld, forever %d: %s\n", what, faulty.at,
               (long long)counting.at, faulty.forever || counting.forever, fail_text());
}

/* The objects of a plan and a run. */
struct held {
    struct gpu_device *device;
    void *program, *queues[2], *hosts[2], *buffers[BUFFERS];
};

static swathe_status make(struct gpu_devices *devices, const char *name, struct held *held)
{
    int mask[2] = {0, 100};
    TRY(gpu_devices_open(devices, name, &held->device));
    const struct gpu_calls *calls = held->device->calls;
    void *handle = held->device->handle;
    TRY(gpu_program_make(held->device, tiny_source(), tiny_options, TINY_OPTIONS, "tiny", mask,
                         sizeof mask, &held->program));
    if (calls->group_most(handle, held->program) < TINY_GROUP)
        return fail(SWATHE_ERROR_UNSUPPORTED, "too few threads");
    for (int i = 0; i < BUFFERS; i++)
        TRY(calls->new_buffer(handle, COUNT * 4, &held->buffers[i]));
    for (int i = 0; i < 2; i++) {
        TRY(calls->new_host(handle, COUNT * 4, &held->hosts[i]));
        TRY(calls->new_queue(handle, false, &held->queues[i]));
    }
    return SWATHE_OK;
}

static swathe_status send(struct held *held)
{
    const struct gpu_calls *calls = held->device->calls;
    struct gpu_task task = {.width = COUNT, .height = 1, .fill = 7};
    struct gpu_launch launch = {.in = held->buffers[IN],
                                .out = held->buffers[OUT],
                                .taps = held->buffers[TAPS],
                                .rows = held->buffers[ROWS],
                                .columns = held->buffers[COLUMNS],
                                .task = &task,
                                .grid = {COUNT / TINY_GROUP, 1, 1},
                                .group = {TINY_GROUP, 1, 1}};
    for (int i = 0; i < BUFFERS; i++)
        if (i != OUT)
            TRY(calls->upload(held->queues[0], held->buffers[i], 0, held->hosts[0], COUNT * 4));
    TRY(calls->launch(held->queues[0], held->program, &launch));
    TRY(calls->download(held->queues[0], held->buffers[OUT], 0, held->hosts[1], COUNT * 4));
    return SWATHE_OK;
}

static swathe_status run(struct held *held)
{
    const struct gpu_calls *calls = held->device->calls;
    int *in = held->hosts[0], *out = held->hosts[1];
    for (int i = 0; i < COUNT; i++)
        in[i] = 3 + i;
    swathe_status status = send(held);
    if (status != SWATHE_OK) {
        calls->finish(held->queues[0]); /* no queue may still use host memory */
        return status;
    }
    TRY(calls->finish(held->queues[0]));
    TRY(calls->finish(held->queues[1]));
    for (int i = 0; i < COUNT; i++)
        if (out[i] != tiny_result(in, i, in[0], in, in[0], 100, 7))
            return fail(SWATHE_ERROR_INTERNAL, "wrong result at %d: %d", i, out[i]);
    return SWATHE_OK;
}

static void drop(struct held *held)
{
    if (!held->device)
        return;
    const struct gpu_calls *calls = held->device->calls;
    void *handle = held->device->handle;
    for (int i = 0; i < 2; i++) {
        if (held->queues[i])
            calls->free_queue(handle, held->queues[i]);
        if (held->hosts[i])
            calls->free_host(handle, held->hosts[i]);
    }
    for (int i = 0; i < BUFFERS; i++)
        if (held->buffers[i])
            calls->free_buffer(handle, held->buffers[i]);
    if (held->program)
        calls->unload(handle, held->program);
}

static swathe_status whole(const char *name)
{
    struct held held = {0};
    struct gpu_devices *devices = NULL;
    counting.calls = 0;
    fail_record(SWATHE_OK, "%s", "");
    swathe_status status = gpu_devices_create(&memory, "off", &devices);
    if (status == SWATHE_OK)
        status = make(devices, name, &held);
    if (status == SWATHE_OK)
        status = run(&held);
    drop(&held);
    gpu_devices_destroy(devices);
    verdict(faulty_clean(), "something was not freed");
    verdict(counting.live == 0, "memory was not freed");
    return status;
}

static int fail_calls(const char *name)
{
    int count = 0;
    for (int all = 0; all < 2; all++)
        for (long long at = 1;; at++, count++) {
            faulty_reset(at, all);
            swathe_status status = whole(name);
            if (!faulty_happened())
                break; /* no calls left to fail */
            verdict(status != SWATHE_OK && *fail_text(), "a call failed but the work succeeded");
        }
    faulty_reset(0, false);
    return count;
}

/* The work continues if only a copy for the cache could not be allocated. */
static int fail_allocations(const char *name)
{
    int count = 0;
    for (int all = 0; all < 2; all++)
        for (int64_t at = 1;; at++, count++) {
            counting.at = at;
            counting.forever = all;
            swathe_status status = whole(name);
            if (counting.calls < at)
                break;
            verdict(status == SWATHE_OK || status == SWATHE_ERROR_MEMORY, "an allocation failed");
        }
    counting.at = 0;
    counting.forever = false;
    return count;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "opencl";
    if (!faulty_install(name))
        return 1;
    if (whole(name) != SWATHE_OK) {
        printf("skipped: faults of %s (%s)\n", name, fail_text());
        return argc > 2 ? 1 : 77;
    }
    int calls = fail_calls(name), blocks = fail_allocations(name);
    verdict(whole(name) == SWATHE_OK, "a clean run");
    printf("%s: %d failed calls, %d failed allocations\n", name, calls, blocks);
    printf("%d passed, %d failed\n", tried - failed, failed);
    return failed > 0;
}
