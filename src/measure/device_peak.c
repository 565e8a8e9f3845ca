#include "measure/device_peak.h"

#include "base/checked.h"
#include "base/os_clock.h"
#include "gpu/kernels/device_task.h"
#include "gpu/stages/device_stage.h"

#include <math.h>
#include <string.h>

/* FMAS and GROUP: the same values as in the options below. */
enum { FMAS = 128, GROUP = 128, VECTOR = 16, BLOCKS = 1024, RUNS = 8 };

#define COPY_BYTES   ((int64_t)256 << 20) /* more than the caches of any device hold */
#define COPY_LEAST   ((int64_t)1 << 20)
#define STEPS_MOST   (1 << 16)
#define PEAK_SECONDS 0.02 /* a launch should take, unless it would be larger than the above */

/* The options of every kernel, for one channel of floats; last, the kernel. */
#define PEAK_OPTIONS(kernel)                                                                       \
    {                                                                                              \
        "-DIN=3", "-DOUT=3", "-DINTEGER=0", "-DWIDE=0", "-DRULE=0", "-DCHANNELS=1",                \
            "-DOUT_CHANNELS=1", "-DPLANAR=1", "-DCOPIED=-1", "-DMASKS=1", "-DDILATE_X=1",          \
            "-DDILATE_Y=1", "-DMASK_W=1", "-DMASK_H=1", "-DLEFT=0", "-DABOVE=0",                   \
            "-DPEAK_FMAS=128", "-DGROUP_X=128", "-DGROUP_Y=1", "-DKERNEL_" #kernel "=1"            \
    }
enum { OPTIONS = 20 };

struct peak_device {
    struct gpu_device *device;
    void *queue, *program, *buffers[2];
    int64_t bytes; /* of each buffer */
};

static void device_peak_close(struct peak_device *peak)
{
    const struct gpu_calls *calls = peak->device->calls;
    void *handle = peak->device->handle;
    if (peak->queue)
        calls->free_queue(handle, peak->queue);
    if (peak->program)
        calls->unload(handle, peak->program);
    for (int i = 0; i < 2; i++)
        if (peak->buffers[i])
            calls->free_buffer(handle, peak->buffers[i]);
}

/* Both buffers are filled: a page that was never written may be read from a cache. */
static swathe_status device_peak_open(const char *const *options, const char *kernel,
                                      struct peak_device *peak)
{
    const struct gpu_calls *calls = peak->device->calls;
    void *handle = peak->device->handle;
    float *zeros;
    TRY(gpu_program_make(peak->device, gpu_source(), options, OPTIONS, kernel, NULL, 0,
                         &peak->program));
    TRY(calls->new_queue(handle, true, &peak->queue));
    TRY(memory_new(peak->device->memory, peak->bytes, 1, "a measurement", &zeros));
    zeros[0] = 0.5f;
    zeros[1] = 1.0f;
    swathe_status status = SWATHE_OK;
    for (int i = 0; i < 2 && status == SWATHE_OK; i++) {
        status = calls->new_buffer(handle, peak->bytes, &peak->buffers[i]);
        if (status == SWATHE_OK)
            status = calls->upload(peak->queue, peak->buffers[i], 0, zeros, peak->bytes);
    }
    if (status == SWATHE_OK)
        status = calls->finish(peak->queue);
    else
        calls->finish(peak->queue); /* no transfer may still use the memory */
    memory_free(peak->device->memory, zeros);
    return status;
}

/* The shortest of several launches after the first, in seconds of the device's clock. */
static swathe_status device_peak_shortest(const struct peak_device *peak, int32_t blocks,
                                          int32_t steps, double *least)
{
    const struct gpu_calls *calls = peak->device->calls;
    struct gpu_task task = {.height = steps};
    struct gpu_launch launch = {.in = peak->buffers[0],
                                .out = peak->buffers[1],
                                .taps = peak->buffers[0],
                                .rows = peak->buffers[0],
                                .columns = peak->buffers[0],
                                .task = &task,
                                .grid = {blocks, 1, 1},
                                .group = {GROUP, 1, 1}};
    double before = calls->launch_seconds(peak->queue);
    *least = INFINITY;
    for (int i = 0; i <= RUNS; i++) {
        TRY(calls->launch(peak->queue, peak->program, &launch));
        TRY(calls->finish(peak->queue));
        double now = calls->launch_seconds(peak->queue);
        if (i > 0 && now > before)
            *least = fmin(*least, now - before);
        before = now;
    }
    return isfinite(*least) ? SWATHE_OK
                            : fail(SWATHE_ERROR_UNSUPPORTED, "the clock of %s does not advance",
                                   peak->device->info.name);
}

static swathe_status device_peak_copy(struct gpu_device *device, int64_t bytes, double *rate)
{
    static const char *const options[OPTIONS] = PEAK_OPTIONS(peak_copy);
    struct peak_device peak = {.device = device, .bytes = bytes};
    double seconds;
    swathe_status status = device_peak_open(options, "peak_copy", &peak);
    int64_t size = min64(COPY_LEAST, bytes);
    for (bool ends = false; status == SWATHE_OK && !ends; size = min64(4 * size, bytes)) {
        status = device_peak_shortest(&peak, (int32_t)(size / (GROUP * VECTOR)), 0, &seconds);
        *rate = 2.0 * (double)size / seconds;
        ends = size == bytes || seconds > PEAK_SECONDS;
    }
    device_peak_close(&peak);
    return status;
}

static swathe_status device_peak_fma(struct gpu_device *device, double *rate)
{
    static const char *const options[OPTIONS] = PEAK_OPTIONS(peak_fma);
    struct peak_device peak = {.device = device, .bytes = (int64_t)BLOCKS * GROUP * 4};
    double seconds;
    swathe_status status = device_peak_open(options, "peak_fma", &peak);
    bool ends = false;
    for (int32_t steps = 4; status == SWATHE_OK && !ends; steps *= 4) {
        status = device_peak_shortest(&peak, BLOCKS, steps, &seconds);
        *rate = 2.0 * BLOCKS * GROUP * FMAS * steps / seconds;
        ends = steps >= STEPS_MOST || seconds > PEAK_SECONDS;
    }
    device_peak_close(&peak);
    return status;
}

swathe_status device_peak(struct gpu_device *device, struct device_peak *peak)
{
    const struct gpu_limits *limits = &device->info.limits;
    struct device_peak got;
    int64_t block = GROUP * VECTOR;
    int64_t bytes = min64(min64(COPY_BYTES, limits->memory / 8), limits->largest) / block * block;
    if (limits->group < GROUP || bytes < block)
        return fail(SWATHE_ERROR_UNSUPPORTED, "%s is too small to be measured", device->info.name);
    TRY(device_peak_copy(device, bytes, &got.copy_gbs));
    TRY(device_peak_fma(device, &got.fma_gflops));
    *peak = (struct device_peak){got.copy_gbs * 1e-9, got.fma_gflops * 1e-9};
    return SWATHE_OK;
}
