/* Public functions on devices. */
#include "api.h"

#include "base/cpu.h"
#include "measure/device_peak.h"
#include "measure/tune.h"

#include <stdio.h>

static void api_devices_describe(const struct gpu_info *from, swathe_device_info *info)
{
    const struct gpu_limits *limits = &from->limits;
    info->device = from->id;
    info->name = from->name;
    info->driver = from->driver;
    info->target = from->target;
    info->same = from->same;
    info->gpu = from->is_gpu;
    info->fma = limits->fma;
    info->denormals = limits->denormals;
    info->exact_floats = limits->fma && limits->denormals;
    info->exact_doubles = limits->doubles;
    info->memory = limits->memory;
    info->largest_buffer = limits->largest;
    info->local_memory = limits->local;
    info->constant_memory = limits->constant;
    info->group_threads = limits->group;
}

/* Finds entry `index` in the list of one back end; otherwise subtracts the list's entries from
 * it. */
static bool find_in(const struct gpu_list *list, int32_t *index, swathe_device_info *info)
{
    int32_t notes = list->note[0] || list->count == 0;
    if (*index < list->count)
        api_devices_describe(&list->devices[*index], info);
    else if (*index < list->count + notes)
        info->note = list->note;
    else {
        *index -= list->count + notes;
        return false;
    }
    return true;
}

swathe_status swathe_device_get(swathe_context *context, int32_t index, swathe_device_info *info)
{
    swathe_device_info own = {.struct_size = sizeof own,
                              .device = "",
                              .note = "",
                              .name = "",
                              .driver = "",
                              .target = "",
                              .same = ""};
    struct failure kept = fail_keep();
    const struct gpu_list *list;
    int32_t left = index;
    REQUIRE(context);
    REQUIRE(info);
    for (int i = 0; index >= 0 && (list = gpu_devices_list(context->devices, i)); i++) {
        own.back_end = gpu_back_end_at(i)->name;
        if (find_in(list, &left, &own))
            return fail_release(&kept, GIVE(info, own));
    }
    return fail(SWATHE_ERROR_ARGUMENT, "there is no device entry %d", (int)index);
}

swathe_status swathe_device_remember(swathe_context *context, const char *device, int32_t passed)
{
    struct device_record record;
    struct gpu_device *opened;
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(device);
    struct plan_maker maker = api_maker(context);
    TRY(gpu_devices_open(context->devices, device, &opened));
    if (!opened->info.is_gpu)
        return fail(SWATHE_ERROR_UNSUPPORTED, "%s is not a GPU, so auto will not use it",
                    opened->info.name);
    snprintf(record.device, sizeof record.device, "%s", opened->info.id);
    snprintf(record.name, sizeof record.name, "%s", opened->info.name);
    snprintf(record.driver, sizeof record.driver, "%s", opened->info.driver);
    struct float_mode mode = float_mode_enter();
    swathe_status status =
        passed ? device_measure(&maker, context->pool, device, &record.rates) : SWATHE_OK;
    float_mode_leave(mode);
    TRY(status);
    return fail_release(&kept, device_records_set(&context->memory, &record, passed != 0));
}

swathe_status swathe_device_measure(swathe_context *context, const char *device,
                                    swathe_device_peaks *peaks)
{
    struct gpu_device *opened;
    struct device_peak found;
    swathe_device_peaks own = SWATHE_INIT(swathe_device_peaks);
    struct failure kept = fail_keep();
    REQUIRE(context);
    REQUIRE(device);
    REQUIRE(peaks);
    TRY(gpu_devices_open(context->devices, device, &opened));
    TRY(device_peak(opened, &found));
    own.copy_gbs = found.copy_gbs;
    own.fma_gflops = found.fma_gflops;
    return fail_release(&kept, GIVE(peaks, own));
}

void swathe_context_pageable(swathe_context *context, int32_t pageable)
{
    if (context)
        atomic_store(&context->pageable, pageable != 0);
}
