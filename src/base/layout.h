/* Divides an allocation into parts, each aligned for vectors. The same code first computes the
 * size, with no memory, and then returns the parts. */
#ifndef SWATHE_BASE_LAYOUT_H
#define SWATHE_BASE_LAYOUT_H

#include "base/checked.h"
#include "base/memory.h"

struct layout {
    uint8_t *memory; /* NULL: only computes the size */
    int64_t bytes;   /* of all parts so far */
};

/* Adds a part of count × size bytes; NULL while only the size is computed. */
static inline void *layout_part(struct layout *layout, int64_t count, int64_t size)
{
    void *part = layout->memory ? layout->memory + layout->bytes : NULL;
    layout->bytes = size_add(layout->bytes, round_up(size_mul(count, size), MEMORY_ALIGN));
    return part;
}

#endif
