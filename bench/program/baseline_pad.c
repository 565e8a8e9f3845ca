#include "baseline_place.h"

#include <string.h>

void baseline_pad(const struct baseline *b, const swathe_image *padded)
{
    const swathe_image *from = b->from;
    const int64_t r = b->k / 2, size = padded->pixel_stride;
    for (int32_t c = 0; c < padded->channels; c++)
        for (int64_t y = 0; y < padded->height; y++) {
            int64_t v = place(b->border, y - r, from->height);
            for (int64_t x = 0; x < padded->width; x++) {
                int64_t u = place(b->border, x - r, from->width);
                char *to = (char *)padded->data + c * padded->channel_stride +
                           y * padded->row_stride + x * size;
                if (u == OUTSIDE || v == OUTSIDE)
                    memset(to, 0, (size_t)size);
                else
                    memcpy(to,
                           (const char *)from->data + c * from->channel_stride +
                               v * from->row_stride + u * from->pixel_stride,
                           (size_t)size);
            }
        }
}
