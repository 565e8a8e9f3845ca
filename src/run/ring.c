#include "run/ring.h"

#include "base/checked.h"

#include <string.h>

/* Row y is usually in slot y modulo slots: elsewhere only if the window needed that slot. */
int64_t ring_find(const struct ring *ring, int64_t y)
{
    int64_t slot = y % ring->slots;
    if (ring->row[slot] == y)
        return slot;
    for (int64_t s = 0; ring->displaced && s < ring->slots; s++)
        if (ring->row[s] == y)
            return s;
    return -1;
}

int64_t ring_take(struct ring *ring, int64_t y)
{
    int64_t slot = y % ring->slots;
    while (ring->stamp[slot] == ring->clock) {
        slot = slot + 1 < ring->slots ? slot + 1 : 0;
        ring->displaced = true;
    }
    ring->row[slot] = -1;
    ring->stamp[slot] = ring->clock;
    return slot;
}

/* Copies the pixel of column `from_x` to `count` columns from `to_x` on, in every plane. */
static void ring_pad_columns(const struct ring *ring, const struct ring_pad *pad, int64_t to_x,
                             int64_t count, int64_t from_x)
{
    for (int32_t p = 0; p < pad->planes; p++) {
        const uint8_t *from = ring->outside + p * ring->outside_stride;
        if (from_x != BORDER_OUTSIDE)
            from = pad->from + p * pad->from_stride + (from_x - pad->from_first) * pad->pixel_bytes;
        uint8_t *to = pad->to + p * pad->to_stride + (to_x - pad->to_first) * pad->pixel_bytes;
        memcpy(to, from, (size_t)pad->pixel_bytes);
        for (int64_t have = 1; have < count; have *= 2)
            memcpy(to + have * pad->pixel_bytes, to,
                   (size_t)(min64(have, count - have) * pad->pixel_bytes));
    }
}

/* Fills columns that are all on one side of the image. */
static void pad_side(const struct ring *ring, const struct op *op, const struct ring_pad *pad,
                     struct interval columns)
{
    const enum border_mode mode = op->border.mode;
    /* One pixel for all columns. */
    bool same = mode == BORDER_REPLICATE || border_entry(mode)->map == border_map_outside;
    int64_t count = same ? columns.last - columns.first : 1;
    for (int64_t x = columns.first; x < columns.last; x += count)
        ring_pad_columns(ring, pad, x, count, border_index(&op->border, x, op->in_width));
}

void ring_pad(const struct ring *ring, const struct op *op, const struct ring_pad *pad)
{
    struct interval reach = ring->reach;
    pad_side(ring, op, pad, (struct interval){reach.first, min64(reach.last, 0)});
    pad_side(ring, op, pad, (struct interval){max64(reach.first, op->in_width), reach.last});
}
