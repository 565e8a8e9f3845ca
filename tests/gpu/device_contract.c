/* The requirements on every back end, tested on a named device: device_contract [DEVICE [MUST]].
 * Without such a device the test is skipped (77); with MUST it fails. */
#include "gpu/drivers/device.h"
#include "gpu/drivers/devices.h"
#include "tiny.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 16 * 40, ROUNDS = 40 };

static struct gpu_device *device;
static const struct gpu_calls *calls;
static int passed, failed;

static void verdict(bool good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, fail_text());
}

static void check(swathe_status status, const char *what)
{
    verdict(status == SWATHE_OK, what);
}

static void fill(int *to, int count, int seed)
{
    for (int i = 0; i < count; i++)
        to[i] = (i * 7919 + seed * 104729) % 100003;
}

static void limits(void)
{
    const struct gpu_limits *l = &device->info.limits;
    printf("%s:%d: %s; %s; at '%s'; %s\n", device->info.back_end, device->info.index,
           device->info.name, device->info.driver, device->info.location, device->info.target);
    verdict(l->memory > 0 && l->largest > 0 && l->largest <= l->memory, "sizes of memory");
    verdict(l->local >= 16 << 10 && l->constant >= 16 << 10, "local and constant memory");
    verdict(l->group >= 64 && l->group_side[0] >= 64 && l->group_side[1] >= 1,
            "threads of a group");
    verdict(l->grid[0] >= 65535 && l->grid[1] >= 65535 && l->grid[2] >= 64, "groups of a grid");
    verdict(*device->info.name && *device->info.driver, "names");
}

/* Bytes uploaded and downloaded in parts, through two queues. */
static void round_trip(void)
{
    void *buffer = NULL, *queues[2] = {NULL, NULL};
    static int from[COUNT], to[COUNT];
    fill(from, COUNT, 1);
    check(calls->new_buffer(device->handle, sizeof from, &buffer), "a buffer");
    for (int q = 0; q < 2; q++) {
        int64_t half = sizeof from / 2;
        check(calls->new_queue(device->handle, false, &queues[q]), "a queue");
        check(calls->upload(queues[q], buffer, q * half, (char *)from + q * half, half), "upload");
    }
    for (int q = 0; q < 2; q++)
        check(calls->finish(queues[q]), "finish");
    check(calls->download(queues[1], buffer, 4, to, sizeof to - 4), "download");
    check(calls->finish(queues[1]), "finish");
    verdict(memcmp(from + 1, to, sizeof to - 4) == 0, "bytes are downloaded unchanged");
    for (int q = 0; q < 2; q++)
        calls->free_queue(device->handle, queues[q]);
    calls->free_buffer(device->handle, buffer);
}

static void host_memory(void)
{
    void *hosts[5], *buffer = NULL, *queue = NULL;
    check(calls->new_buffer(device->handle, 4096, &buffer), "a buffer");
    check(calls->new_queue(device->handle, false, &queue), "a queue");
    for (int i = 0; i < 5; i++) {
        check(calls->new_host(device->handle, 4096 * (i + 1) + i, &hosts[i]), "host memory");
        verdict((uintptr_t)hosts[i] % 4096 == 0, "host memory is page-aligned");
        memset(hosts[i], i + 1, (size_t)(4096 * (i + 1) + i));
    }
    check(calls->upload(queue, buffer, 0, hosts[2], 4096), "upload");
    check(calls->download(queue, buffer, 0, hosts[4], 4096), "download");
    check(calls->finish(queue), "finish");
    verdict(memcmp(hosts[2], hosts[4], 4096) == 0, "host memory is downloaded unchanged");
    for (int i = 4; i >= 0; i -= 2)
        calls->free_host(device->handle, hosts[i]);
    for (int i = 1; i < 5; i += 2)
        calls->free_host(device->handle, hosts[i]);
    calls->free_queue(device->handle, queue);
    calls->free_buffer(device->handle, buffer);
}

static void *make(int mask)
{
    int constant[2] = {-1, mask};
    void *program = NULL;
    check(gpu_program_make(device, tiny_source(), tiny_options, TINY_OPTIONS, "tiny", constant,
                           sizeof constant, &program),
          "a program");
    return program;
}

/* One thread's work: its own queue and buffers, programs shared with others. */
struct worker {
    void *programs[2];
    int seed, wrong;
    swathe_status status;
    char text[200];
};

enum { IN, OUT, TAPS, ROWS, COLUMNS, BUFFERS };

static swathe_status run_rounds(struct worker *worker, void *queue, void *const *buffers)
{
    double seconds = calls->launch_seconds(queue);
    verdict(seconds == 0.0, "a queue without launches has no time");
    int in[COUNT], rows[COUNT], out[COUNT], tap[1] = {3 + worker->seed}, column[1] = {11};
    struct gpu_task task = {.width = COUNT, .height = 1};
    struct gpu_launch launch = {.in = buffers[IN],
                                .out = buffers[OUT],
                                .taps = buffers[TAPS],
                                .rows = buffers[ROWS],
                                .columns = buffers[COLUMNS],
                                .task = &task,
                                .grid = {COUNT / TINY_GROUP, 1, 1},
                                .group = {TINY_GROUP, 1, 1}};
    for (int round = 0; round < ROUNDS; round++) {
        fill(in, COUNT, worker->seed + round);
        fill(rows, COUNT, worker->seed + 2 * round);
        task.fill = round;
        TRY(calls->upload(queue, buffers[IN], 0, in, sizeof in));
        TRY(calls->upload(queue, buffers[TAPS], 0, tap, sizeof tap));
        TRY(calls->upload(queue, buffers[ROWS], 0, rows, sizeof rows));
        TRY(calls->upload(queue, buffers[COLUMNS], 0, column, sizeof column));
        TRY(calls->launch(queue, worker->programs[round % 2], &launch));
        TRY(calls->download(queue, buffers[OUT], 0, out, sizeof out));
        TRY(calls->finish(queue));
        double all = calls->launch_seconds(queue);
        worker->wrong +=
            worker->seed == 0 ? all <= seconds : all != 0.0; /* only the first is timed */
        seconds = all;
        for (int x = 0; x < COUNT; x++)
            worker->wrong += out[x] != tiny_result(in, x, tap[0], rows, column[0],
                                                   round % 2 ? 1000 : 100, round);
    }
    return SWATHE_OK;
}

static void *run_worker(void *user)
{
    struct worker *worker = user;
    void *queue = NULL, *buffers[BUFFERS] = {NULL};
    worker->status = calls->new_queue(device->handle, worker->seed == 0, &queue);
    for (int i = 0; i < BUFFERS && worker->status == SWATHE_OK; i++)
        worker->status = calls->new_buffer(device->handle, COUNT * 4, &buffers[i]);
    if (worker->status == SWATHE_OK)
        worker->status = run_rounds(worker, queue, buffers);
    snprintf(worker->text, sizeof worker->text, "%s", fail_text());
    for (int i = 0; i < BUFFERS; i++)
        if (buffers[i])
            calls->free_buffer(device->handle, buffers[i]);
    if (queue)
        calls->free_queue(device->handle, queue);
    return NULL;
}

/* Two threads launch the same programs, each with a different mask and its own queue. */
static void launches(void)
{
    pthread_t threads[2];
    struct worker workers[2];
    void *programs[2] = {make(100), make(1000)};
    if (!programs[0] || !programs[1])
        return;
    int32_t most = calls->group_most(device->handle, programs[0]);
    verdict(most >= TINY_GROUP && most <= device->info.limits.group, "threads of the kernel");
    /* Oclgrind runs one kernel at a time. */
    int count = strstr(device->info.name, "Oclgrind") ? 1 : 2;
    for (int i = 0; i < count; i++) {
        workers[i] = (struct worker){.programs = {programs[0], programs[1]}, .seed = i};
        pthread_create(&threads[i], NULL, run_worker, &workers[i]);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        if (workers[i].status != SWATHE_OK)
            printf("worker %d: %s\n", i, workers[i].text);
        verdict(workers[i].status == SWATHE_OK && workers[i].wrong == 0, "results of a worker");
    }
    calls->unload(device->handle, programs[0]);
    calls->unload(device->handle, programs[1]);
}

static void refusals(void)
{
    static const char *const options[] = {"-DADDED=no_such_name"};
    struct gpu_binary binary = {0};
    void *got = NULL;
    char damaged[64] = "this is not a program";
    verdict(calls->compile(device->handle, tiny_source(), options, 1, &binary) != SWATHE_OK &&
                strstr(fail_text(), "no_such_name"),
            "a compiler's log");
    verdict(calls->new_buffer(device->handle, INT64_MAX / 2, &got) == SWATHE_ERROR_MEMORY && !got &&
                strstr(fail_text(), "device cpu"),
            "a buffer that is too large");
    binary = (struct gpu_binary){damaged, sizeof damaged};
    verdict(calls->load(device->handle, &binary, "tiny", NULL, 0, &got) != SWATHE_OK && !got,
            "data that is not a program");
    check(calls->compile(device->handle, tiny_source(), tiny_options, TINY_OPTIONS, &binary),
          "compile");
    verdict(calls->load(device->handle, &binary, "no_kernel", NULL, 0, &got) != SWATHE_OK && !got,
            "a kernel that does not exist");
    memory_free(device->memory, binary.data);
}

/* A card that is in two lists is marked in the later one. */
static void cards(struct gpu_devices *devices)
{
    const struct gpu_list *list;
    for (int b = 0; (list = gpu_devices_list(devices, b)); b++) {
        printf("%s: %d devices; %s\n", gpu_back_end_at(b)->name, list->count, list->note);
        for (int32_t i = 0; i < list->count; i++) {
            const char *location = list->devices[i].location, *before = "";
            for (int e = b - 1; e >= 0 && *location; e--)
                for (int32_t k = 0; k < gpu_devices_list(devices, e)->count; k++)
                    if (strcmp(gpu_devices_list(devices, e)->devices[k].location, location) == 0)
                        before = gpu_back_end_at(e)->name;
            verdict(strncmp(list->devices[i].same, before, strlen(before)) == 0 &&
                        !*before == !*list->devices[i].same,
                    "the same card");
        }
    }
    verdict(!gpu_devices_list(devices, 99) && !gpu_devices_list(devices, -1), "past the end");
}

static void names(struct gpu_devices *devices)
{
    static const char *const wrong[] = {"opencll", "", "opencl:x", "opencl:", "opencl:-1", "x:0"};
    struct gpu_device *got = NULL, *again = NULL;
    char name[64];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        verdict(gpu_devices_open(devices, wrong[i], &got) == SWATHE_ERROR_ARGUMENT && !got,
                wrong[i]);
    snprintf(name, sizeof name, "%s:9999", device->info.back_end);
    verdict(gpu_devices_open(devices, name, &got) == SWATHE_ERROR_UNSUPPORTED, "device 9999");
    snprintf(name, sizeof name, "%s:%d", device->info.back_end, device->info.index);
    check(gpu_devices_open(devices, name, &again), name);
    verdict(again == device, "a device is opened once");
    swathe_status any = gpu_devices_open(devices, "gpu", &got);
    verdict(any == SWATHE_OK ? got->info.is_gpu : strstr(fail_text(), "no GPU") != NULL,
            "the first GPU");
    printf("gpu: %s\n", any == SWATHE_OK ? got->info.name : fail_text());
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "opencl:0";
    struct gpu_devices *devices;
    if (gpu_devices_create(&memory_default, NULL, &devices) != SWATHE_OK)
        return 1;
    if (gpu_devices_open(devices, name, &device) != SWATHE_OK) {
        printf("skipped: device contract (%s)\n", fail_text());
        gpu_devices_destroy(devices);
        return argc > 2 ? 1 : 77;
    }
    calls = device->calls;
    limits();
    round_trip();
    host_memory();
    launches();
    refusals();
    names(devices);
    cards(devices);
    gpu_devices_destroy(devices);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
