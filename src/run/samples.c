#include "run/samples.h"

#include <math.h>
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

static double load(const void *from, swathe_type type, int64_t i)
{
    switch (type) {
    case SWATHE_U8:
        return ((const uint8_t *)from)[i];
    case SWATHE_U16:
        return ((const uint16_t *)from)[i];
    case SWATHE_S16:
        return ((const int16_t *)from)[i];
    default:
        return (double)((const float *)from)[i];
    }
}

static void store(void *to, swathe_type type, int64_t i, double value)
{
    switch (type) {
    case SWATHE_U8:
        ((uint8_t *)to)[i] = (uint8_t)value;
        break;
    case SWATHE_U16:
        ((uint16_t *)to)[i] = (uint16_t)value;
        break;
    case SWATHE_S16:
        ((int16_t *)to)[i] = (int16_t)value;
        break;
    default:
        ((float *)to)[i] = (float)value;
    }
}

void samples_convert(const void *from, swathe_type from_type, void *to, swathe_type to_type,
                     int64_t count)
{
    const struct sample_entry *entry = sample_entry(to_type);
    if (from_type == to_type) {
        memcpy(to, from, (size_t)(count * entry->size));
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        double v = load(from, from_type, i);
        if (!sample_is_float(to_type))
            v = isnan(v) ? 0.0 : floor(v + 0.5);
        store(to, to_type, i,
              v < entry->lowest    ? entry->lowest
              : v > entry->highest ? entry->highest
                                   : v);
    }
}

void samples_fill(void *to, swathe_type type, double value, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        store(to, type, i, value);
}
