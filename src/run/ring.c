#include "run/ring.h"

#include "base/checked.h"

#include <string.h>

/* Row y is usually in slot y modulo slots. */
int64_t ring_find(const struct ring *ring, int64_t y)
{
    if (ring->row[y % ring->slots] == y)
        return y % ring->slots;
    for (int64_t s = 0; s < ring->slots; s++)
        if (ring->row[s] == y)
            return s;
    return -1;
}

int64_t ring_take(struct ring *ring, int64_t y)
{
    int64_t slot = y % ring->slots;
    while (ring->stamp[slot] == ring->clock)
        slot = slot + 1 < ring->slots ? slot + 1 : 0;
    ring->row[slot] = -1;
    ring->stamp[slot] = ring->clock;
    return slot;
}

/* Copies the pixel of column `from_x` to column `to_x` in every plane. */
static void pad_column(const struct ring_pad *pad, const uint8_t *outside, int64_t to_x,
                       int64_t from_x)
{
    for (int32_t p = 0; p < pad->planes; p++) {
        const uint8_t *from = outside;
        if (from_x != BORDER_OUTSIDE)
            from = pad->from + p * pad->from_stride + (from_x - pad->from_first) * pad->pixel_bytes;
        memcpy(pad->to + p * pad->to_stride + (to_x - pad->to_first) * pad->pixel_bytes, from,
               (size_t)pad->pixel_bytes);
    }
}

void ring_pad(const struct ring *ring, const struct op *op, const struct ring_pad *pad)
{
    int64_t n = op->in_width;
    for (int64_t x = ring->reach.first; x < min64(ring->reach.last, 0); x++)
        pad_column(pad, ring->outside, x, border_index(&op->border, x, n));
    for (int64_t x = max64(ring->reach.first, n); x < ring->reach.last; x++)
        pad_column(pad, ring->outside, x, border_index(&op->border, x, n));
}
