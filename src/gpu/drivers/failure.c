#include "gpu/drivers/device.h"

#include "base/text.h"

swathe_status failure_of(const char *call, const char *error, bool memory)
{
    if (memory)
        return fail(SWATHE_ERROR_MEMORY,
                    "%s: %s; allow less memory on the device, or use device cpu", call, error);
    return fail(SWATHE_ERROR_IO, "%s: %s; use device cpu, or update the driver", call, error);
}

swathe_status failure_compile(const char *compiler, const char *error, const char *log)
{
    return fail(SWATHE_ERROR_UNSUPPORTED, "%s: %s; use device cpu, and please report this log:\n%s",
                compiler, error, log);
}

swathe_status failure_if_too_large(int64_t bytes, const struct gpu_info *info)
{
    char asked[32], most[32];
    if (bytes <= info->limits.largest)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_MEMORY,
                "a buffer of %s, the limit of %s is %s; allow less memory on the device, or use "
                "device cpu",
                text_bytes(bytes, asked, sizeof asked), info->name,
                text_bytes(info->limits.largest, most, sizeof most));
}

swathe_status failure_no_device(const char *back_end, int32_t index, const struct gpu_list *list)
{
    if (list->count == 0)
        return fail(SWATHE_ERROR_UNSUPPORTED, "no device %s:%d: %s; use device cpu", back_end,
                    index, *list->note ? list->note : "it has none");
    if (list->count == 1)
        return fail(SWATHE_ERROR_UNSUPPORTED, "no device %s:%d; there is only %s:0", back_end,
                    index, back_end);
    return fail(SWATHE_ERROR_UNSUPPORTED, "no device %s:%d; there are %s:0 to %s:%d", back_end,
                index, back_end, back_end, list->count - 1);
}
