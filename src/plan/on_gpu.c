#include "plan/on_gpu.h"

#include "base/checked.h"
#include "base/text.h"
#include "gpu/drivers/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Parses the suffixes of a strategy's name: ":16", ":planar", ":runtime", in any order. */
static bool parse_suffixes(const char *text, struct gpu_choice *choice)
{
    while (*text == ':') {
        char word[16];
        int64_t block;
        size_t length = strcspn(++text, ":");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : 0), text);
        text += length;
        if (strcmp(word, "planar") == 0 && !choice->planar)
            choice->planar = true;
        else if (strcmp(word, "runtime") == 0 && !choice->runtime)
            choice->runtime = true;
        else if (choice->block == 0 && text_to_int(word, &block) && block >= 1 && block <= 32)
            choice->block = (int32_t)block;
        else
            return false;
    }
    return true;
}

/* Parses "tiled", "tiled:16", "tiled:16:planar:runtime" and so on. */
static swathe_status parse_strategy(const char *text, struct gpu_choice *choice)
{
    char name[32];
    size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), text);
    choice->strategy = gpu_strategy_named(name);
    if (!choice->strategy)
        return fail_about(SWATHE_ERROR_ARGUMENT, "strategy", "no strategy '%s'", text);
    if (!parse_suffixes(text + length, choice))
        return fail(
            SWATHE_ERROR_ARGUMENT,
            "strategy '%s': a thread block of 8 to 32 and the words planar and runtime can follow, "
            "as in %s:16",
            text, name);
    return SWATHE_OK;
}

/* Refuses a stage that the device cannot compute exactly. */
static swathe_status on_gpu_check_stage(const struct gpu_device *device, const struct op *op)
{
    const struct gpu_limits *limits = &device->info.limits;
    struct gpu_needs needs = gpu_stage_needs(op);
    if (needs.doubles && !limits->doubles)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%s has no f64 arithmetic, which %s to %s needs; use device cpu",
                    device->info.name, sample_entry(op->in)->name, sample_entry(op->out)->name);
    if (!needs.floats || (limits->fma && limits->denormals))
        return SWATHE_OK;
    return fail(
        SWATHE_ERROR_UNSUPPORTED,
        "%s does not support %s, so float results would differ from other devices; use device "
        "cpu",
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
    TRY(calls->new_queue(device->handle, false, &queue));
    swathe_status status = calls->upload(queue, at->taps, 0, at->stage.taps, at->stage.tap_bytes);
    if (status == SWATHE_OK)
        status = calls->finish(queue);
    calls->free_queue(device->handle, queue);
    return status;
}

static swathe_status load_stage(struct gpu_device *device, struct on_gpu_stage *at)
{
    const struct gpu_stage *stage = &at->stage;
    TRY(gpu_program_make(device, gpu_source(), stage->options, stage->option_count, stage->kernel,
                         stage->taps, stage->constant_bytes, &at->program));
    int32_t threads = stage->group[0] * stage->group[1] * stage->group[2];
    int32_t most = device->calls->group_most(device->handle, at->program);
    if (threads > most)
        return fail(
            SWATHE_ERROR_UNSUPPORTED,
            "strategy %s needs %d threads in a thread block, this kernel allows %d on %s; use %s",
            stage->strategy->name, threads, most, device->info.name,
            stage->strategy->block > 0 && threads > 64 && most >= 64
                ? "a thread block of 8, the smallest"
                : "device cpu");
    return upload_taps(device, at);
}

/* Appends a stage for op i. */
static swathe_status add_stage(struct arena *arena, struct on_gpu *gpu, const struct op *ops,
                               int32_t i, enum on_gpu_kind kind, const struct gpu_choice *choice)
{
    static const enum gpu_arranging arranging[] = {[ON_GPU_PAD] = GPU_ARRANGE_PAD,
                                                   [ON_GPU_SPLIT] = GPU_ARRANGE_SPLIT,
                                                   [ON_GPU_JOIN] = GPU_ARRANGE_JOIN};
    struct on_gpu_stage *at = &gpu->stages[gpu->count++];
    swathe_status status;
    at->kind = kind;
    at->op = i;
    status = on_gpu_check_stage(gpu->device, &ops[i]);
    if (status == SWATHE_OK && kind == ON_GPU_FILTER)
        status = gpu_stage_make(arena, &ops[i], choice, &gpu->device->info.limits, &at->stage);
    else if (status == SWATHE_OK)
        status = gpu_stage_arrange(arena, &ops[i], gpu->strategy, arranging[kind], &at->stage);
    if (status == SWATHE_OK)
        status = load_stage(gpu->device, at);
    if (status == SWATHE_OK)
        return SWATHE_OK;
    return fail_within(status, "%.60s on %s: ", ops[i].text, gpu->device->info.id);
}

/* Adds the stages of the chain, and the conversions that its strategy needs between them. The
 * border of the first stage is part of the rows that the host sends. */
static swathe_status add_stages(struct arena *arena, struct on_gpu *gpu, const struct op *ops,
                                int32_t count, const struct gpu_choice *choice)
{
    bool converts = gpu->strategy->flow == GPU_FLOW_CONVERT;
    if (converts)
        TRY(add_stage(arena, gpu, ops, 0, ON_GPU_SPLIT, choice));
    for (int32_t i = 0; i < count; i++) {
        if (i > 0 && gpu->strategy->reads == GPU_READS_PADDED)
            TRY(add_stage(arena, gpu, ops, i, ON_GPU_PAD, choice));
        TRY(add_stage(arena, gpu, ops, i, ON_GPU_FILTER, choice));
    }
    return converts ? add_stage(arena, gpu, ops, count - 1, ON_GPU_JOIN, choice) : SWATHE_OK;
}

/* Planes if channels differ or their number changes, unless the strategy determines the layout. */
static bool wants_planes(const struct op *ops, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (!op_is_uniform(&ops[i]))
            return true;
    return false;
}

static swathe_status plan_on_gpu_make(struct arena *arena, struct gpu_devices *devices,
                                      const struct op *ops, int32_t count,
                                      const struct on_gpu_request *request, struct on_gpu *gpu)
{
    struct gpu_choice choice = {.strategy = gpu_strategy_at(0)};
    TRY(gpu_devices_open(devices, request->device, &gpu->device));
    const struct gpu_info *info = &gpu->device->info;
    if (request->checked && (strcmp(request->checked->name, info->name) != 0 ||
                             strcmp(request->checked->driver, info->driver) != 0))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "the device or the driver of %s has changed since it was checked; check it "
                    "again",
                    request->device);
    if (request->strategy)
        TRY(parse_strategy(request->strategy, &choice));
    gpu->strategy = choice.strategy;
    int planar = choice.strategy->planar;
    if (planar == 0 && choice.planar && ops[0].channels > 1)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "strategy %s processes pixels, not planes; omit :planar, or use strategy "
                    "tiled",
                    choice.strategy->name);
    gpu->planar = planar >= 0 ? planar == 1 : choice.planar || wants_planes(ops, count);
    gpu->host_planar = gpu->planar && choice.strategy->flow != GPU_FLOW_CONVERT;
    choice.planar = gpu->planar;
    /* The display and other programs need memory, too. */
    int64_t most = info->limits.memory / 4 * 3;
    gpu->memory = request->memory > 0 ? min64(request->memory, most) : most;
    return add_stages(arena, gpu, ops, count, &choice);
}

swathe_status on_gpu_make(struct arena *arena, struct gpu_devices *devices, const struct op *ops,
                          int32_t count, const struct on_gpu_request *request, struct on_gpu **made)
{
    struct on_gpu *gpu;
    TRY(arena_new(arena, 1, sizeof *gpu, "a plan", &gpu));
    TRY(arena_new(arena, 2 * (int64_t)count + 2, sizeof *gpu->stages, "a plan", &gpu->stages));
    gpu->falls_back = request->falls_back;
    gpu->pageable = request->pageable;
    swathe_status status = plan_on_gpu_make(arena, devices, ops, count, request, gpu);
    if (status != SWATHE_OK) {
        on_gpu_free(gpu);
        return status;
    }
    *made = gpu;
    return SWATHE_OK;
}

void on_gpu_free(struct on_gpu *gpu)
{
    if (!gpu || !gpu->device || !gpu_device_is_usable(gpu->device))
        return;
    for (int32_t i = 0; i < gpu->count; i++) {
        if (gpu->stages[i].taps)
            gpu->device->calls->free_buffer(gpu->device->handle, gpu->stages[i].taps);
        if (gpu->stages[i].program)
            gpu->device->calls->unload(gpu->device->handle, gpu->stages[i].program);
    }
}
