/* Public functions on devices. */
#include "api.h"

#include "base/float_mode.h"
#include "plan/devices_show.h"
#include "run/device_measure.h"

#include <stdio.h>

swathe_status swathe_devices_text(swathe_context *context, swathe_text format, char *text,
                                  size_t size, size_t *needed)
{
    struct failure kept = fail_keep();
    REQUIRE(context);
    if (format != SWATHE_TEXT_PEOPLE && format != SWATHE_TEXT_JSON)
        return fail(SWATHE_ERROR_ARGUMENT, "%d is not a text format of devices", (int)format);
    return fail_release(&kept, devices_show(context->devices, format == SWATHE_TEXT_JSON, text,
                                            text ? size : 0, needed));
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
