#include "run/samples.h"

#include "base/checked.h"
#include "filter/rounding.h"

#include <string.h>

bool samples_direct(const swathe_image *view, int32_t step)
{
    int32_t size = sample_size(view->type);
    if (step == 1)
        return view->pixel_stride == size;
    return view->channel_stride == size && view->pixel_stride == (int64_t)size * step;
}

void samples_gather(const swathe_image *view, int64_t y, int64_t first, int64_t last, int32_t step,
                    uint8_t *to, int64_t plane_stride)
{
    int32_t size = sample_size(view->type);
    bool direct = samples_direct(view, step);
    for (int32_t c = 0; c < view->channels; c++) {
        const uint8_t *from = view_at(view, first, y, c);
        if (direct) { /* a plane, or all channels at once */
            memcpy(to + c * plane_stride, from, (size_t)((last - first) * step * size));
            if (step > 1)
                return;
        } else {
            uint8_t *at = step > 1 ? to + c * size : to + c * plane_stride;
            view_copy_samples(from, view->pixel_stride, at, (int64_t)step * size, last - first,
                              size);
        }
    }
}

void samples_scatter(const uint8_t *from, int64_t plane_stride, int32_t step,
                     const swathe_image *view, int64_t y, int64_t first, int64_t last)
{
    int32_t size = sample_size(view->type);
    for (int32_t c = 0; c < view->channels; c++) {
        const uint8_t *at = step > 1 ? from + c * size : from + c * plane_stride;
        view_copy_samples(at, (int64_t)step * size, view_at(view, first, y, c), view->pixel_stride,
                          last - first, size);
    }
}

void samples_convert(const void *from, swathe_type from_type, void *to, swathe_type to_type,
                     int64_t count)
{
    const struct sample_entry *entry = sample_entry(to_type);
    int32_t from_size = sample_size(from_type), to_size = entry->size;
    if (from_type == to_type) {
        memcpy(to, from, (size_t)(count * to_size));
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        double v = sample_load((const uint8_t *)from + i * from_size, from_type);
        if (!sample_is_float(to_type))
            v = rounding_half_up(v);
        sample_store((uint8_t *)to + i * to_size, to_type,
                     ROUNDING_CLAMP(v, entry->lowest, entry->highest));
    }
}

void samples_fill(void *to, swathe_type type, double value, int64_t count)
{
    int32_t size = sample_size(type);
    if (count > 0)
        sample_store(to, type, value);
    for (int64_t have = 1; have < count; have *= 2)
        memcpy((uint8_t *)to + have * size, to, (size_t)(min64(have, count - have) * size));
}
