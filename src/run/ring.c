#include "run/ring.h"

#include "base/checked.h"

#include <string.h>

/* y modulo slots, usually from that of the next row: a division takes longer. */
static int64_t slot_of(const struct ring *ring, int64_t y)
{
    int64_t slot = ring->home + (y - ring->in_order.last);
    if (slot >= 0 && slot < ring->slots)
        return slot;
    if (slot >= ring->slots && slot < 2 * ring->slots)
        return slot - ring->slots;
    return slot < 0 && slot >= -ring->slots ? slot + ring->slots : y % ring->slots;
}

/* Row y is usually in slot y modulo slots: elsewhere only if the window needed that slot. */
int64_t ring_find(const struct ring *ring, int64_t y)
{
    int64_t slot = slot_of(ring, y);
    if (ring->row[slot] == y)
        return slot;
    for (int64_t s = 0; ring->displaced && s < ring->slots; s++)
        if (ring->row[s] == y)
            return s;
    return -1;
}

int64_t ring_take(struct ring *ring, int64_t y)
{
    int64_t slot = slot_of(ring, y);
    int64_t first = ring->in_order.last == y ? ring->in_order.first : y;
    ring->in_order = (struct interval){max64(first, y + 1 - ring->slots), y + 1};
    ring->home = ring_next_slot(ring, slot);
    while (ring->stamp[slot] == ring->clock) {
        slot = ring_next_slot(ring, slot);
        ring->displaced = true;
    }
    ring->row[slot] = -1;
    ring->stamp[slot] = ring->clock;
    return slot;
}

bool ring_continues(const struct ring *ring, struct interval window)
{
    return !ring->displaced && window.first >= ring->in_order.first &&
           window.first <= ring->in_order.last;
}

int64_t ring_outside_most(const struct op *op)
{
    return max64(op->left - op->shift_x, 0) +
           max64(op->out_width + op->shift_x + op->right - op->in_width, 0);
}

void ring_set_columns(struct ring *ring, const struct op *op, struct interval reach)
{
    int64_t *mapped = ring->mapped;
    ring->reach = reach;
    ring->inside = (struct interval){min64(max64(reach.first, 0), op->in_width),
                                     max64(min64(reach.last, op->in_width), 0)};
    ring->sides[0] = (struct interval){min64(reach.first, 0), min64(reach.last, 0)};
    ring->sides[1] =
        (struct interval){max64(reach.first, op->in_width), max64(reach.last, op->in_width)};
    for (const struct interval *side = ring->sides; side < ring->sides + 2; side++)
        for (int64_t x = side->first; x < side->last; x++)
            *mapped++ = border_index(&op->border, x, op->in_width);
}

/* With a constant for the commonest sizes: a call of memcpy takes longer than such a copy. */
static void ring_copy_pixel(uint8_t *to, const uint8_t *from, int32_t bytes)
{
    switch (bytes) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 3:
        memcpy(to, from, 3);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 6:
        memcpy(to, from, 6);
        break;
    case 12:
        memcpy(to, from, 12);
        break;
    default:
        memcpy(to, from, (size_t)bytes);
    }
}

/* Fills columns on one side of the image, of a plane, and returns the next entry of `mapped`. */
static const int64_t *pad_side(const struct ring *ring, const struct interval *side,
                               const int64_t *mapped, const uint8_t *from, uint8_t *to,
                               const uint8_t *outside)
{
    int32_t size = ring->pixel_bytes;
    to += (side->first - ring->reach.first) * size;
    for (int64_t n = side->last - side->first; n > 0; n--, mapped++, to += size)
        ring_copy_pixel(to, *mapped == BORDER_OUTSIDE ? outside : from + *mapped * size, size);
    return mapped;
}

void ring_pad(const struct ring *ring, int64_t slot, const struct ring_row *row)
{
    for (int32_t p = 0; p < ring->planes; p++) {
        const uint8_t *outside = ring->outside + p * ring->outside_stride;
        const uint8_t *from = row->at + p * row->plane_stride - row->first * ring->pixel_bytes;
        uint8_t *to = ring_slot(ring, slot) + p * ring->plane_bytes;
        const int64_t *mapped = pad_side(ring, &ring->sides[0], ring->mapped, from, to, outside);
        pad_side(ring, &ring->sides[1], mapped, from, to, outside);
    }
}
