#include "plan/on_gpu.h"

#include "base/checked.h"
#include "base/text.h"
#include "gpu/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "tiled" or "tiled:16" */
static swathe_status parse_strategy(const char *text, struct gpu_choice *choice)
{
    char name[32];
    int64_t block = 0;
    size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), text);
    choice->strategy = gpu_strategy_named(name);
    if (!choice->strategy)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "no strategy '%s'; 'swathe devices --strategies' lists them", text);
    if (text[length] == ':' && (!text_to_int(text + length + 1, &block) || block < 1 || block > 32))
        return fail(SWATHE_ERROR_ARGUMENT, "strategy '%s': the block is 8 to 32, as in %s:16", text,
                    name);
    choice->block = (int32_t)block;
    return SWATHE_OK;
}

/* Floats are exact there or not at all. */
static swathe_status check_floats(const struct gpu_device *device, const struct op *op)
{
    const struct gpu_limits *limits = &device->info.limits;
    if (op->integer || (limits->fma && limits->denormals))
        return SWATHE_OK;
    return fail(SWATHE_ERROR_UNSUPPORTED,
                "%s has no %s, so floats would differ from those of other devices; use device cpu",
                device->info.name, limits->fma ? "denormals" : "fused multiply-add");
}

static swathe_status upload_taps(const struct gpu_device *device, struct on_gpu_stage *at)
{
    const struct gpu_calls *calls = device->calls;
    void *queue = NULL;
    int64_t bytes = max64(at->stage.tap_bytes, 4);
    TRY(calls->new_buffer(device->handle, bytes, &at->taps));
    if (at->stage.tap_bytes == 0)
        return SWATHE_OK;
    TRY(calls->new_queue(device->handle, &queue));
    swathe_status status = calls->upload(queue, at->taps, 0, at->stage.taps, at->stage.tap_bytes);
    if (status == SWATHE_OK)
        status = calls->finish(queue);
    calls->free_queue(device->handle, queue);
    return status;
}

static swathe_status make_stage(struct arena *arena, struct on_gpu *gpu, const struct op *op,
                                const struct gpu_choice *choice, struct on_gpu_stage *at)
{
    struct gpu_device *device = gpu->device;
    TRY(check_floats(device, op));
    TRY(gpu_stage_make(arena, op, choice, &device->info.limits, &at->stage));
    TRY(gpu_program_make(device, gpu_source(), at->stage.options, at->stage.option_count,
                         at->stage.kernel, at->stage.taps, at->stage.constant_bytes, &at->program));
    int32_t threads = at->stage.group[0] * at->stage.group[1] * at->stage.group[2];
    int32_t most = device->calls->group_most(device->handle, at->program);
    if (threads > most)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "strategy %s: %d threads a group, this kernel can have %d on %s; use a smaller "
                    "block, as in --strategy %s:8",
                    at->stage.strategy->name, threads, most, device->info.name,
                    at->stage.strategy->name);
    return upload_taps(device, at);
}

static swathe_status make(struct arena *arena, struct gpu_devices *devices, const struct op *ops,
                          const struct on_gpu_wish *wish, struct on_gpu *gpu)
{
    struct gpu_choice choice = {0};
    TRY(gpu_devices_open(devices, wish->device, &gpu->device));
    const struct gpu_info *info = &gpu->device->info;
    if (wish->checked && (strcmp(wish->checked->name, info->name) != 0 ||
                          strcmp(wish->checked->driver, info->driver) != 0))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%s is another device or has another driver than when it was checked; run "
                    "'swathe devices --check' again",
                    wish->device);
    if (wish->strategy)
        TRY(parse_strategy(wish->strategy, &choice));
    gpu->planar = choice.strategy && choice.strategy->planar >= 0 ? choice.strategy->planar == 1
                                                                  : wish->planar;
    choice.planar = gpu->planar;
    /* The display and others want some, too. */
    int64_t most = info->limits.memory / 4 * 3;
    gpu->memory = wish->memory > 0 ? min64(wish->memory, most) : most;
    for (int32_t i = 0; i < gpu->count; i++) {
        swathe_status status = make_stage(arena, gpu, &ops[i], &choice, &gpu->stages[i]);
        if (status != SWATHE_OK)
            return fail_within(status, "%.60s on %s: ", ops[i].text, info->id);
    }
    return SWATHE_OK;
}

swathe_status on_gpu_make(struct arena *arena, struct gpu_devices *devices, const struct op *ops,
                          int32_t count, const struct on_gpu_wish *wish, struct on_gpu **made)
{
    struct on_gpu *gpu;
    TRY(arena_new(arena, 1, sizeof *gpu, "a plan", &gpu));
    TRY(arena_new(arena, count, sizeof *gpu->stages, "a plan", &gpu->stages));
    gpu->count = count;
    gpu->falls_back = wish->falls_back;
    gpu->pageable = wish->pageable;
    swathe_status status = make(arena, devices, ops, wish, gpu);
    if (status != SWATHE_OK) {
        on_gpu_free(gpu);
        return status;
    }
    *made = gpu;
    return SWATHE_OK;
}

void on_gpu_free(struct on_gpu *gpu)
{
    if (!gpu || !gpu->device)
        return;
    for (int32_t i = 0; i < gpu->count; i++) {
        if (gpu->stages[i].taps)
            gpu->device->calls->free_buffer(gpu->device->handle, gpu->stages[i].taps);
        if (gpu->stages[i].program)
            gpu->device->calls->unload(gpu->device->handle, gpu->stages[i].program);
    }
}
