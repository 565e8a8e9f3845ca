/* The parts of an image that were written in any order, to know when it is complete. */
#ifndef SWATHE_IO_WRITTEN_PARTS_H
#define SWATHE_IO_WRITTEN_PARTS_H

#include "base/memory.h"

#include <stdbool.h>

/* All 0: nothing was written. */
struct written_parts {
    swathe_rect *parts; /* disjoint; adjacent parts are joined, so there are usually few */
    int64_t count, room;
};

/* True if the part shares a pixel with an earlier one. */
bool written_parts_meets(const struct written_parts *written, const swathe_rect *part);
/* Adds a part that meets no earlier one. */
swathe_status written_parts_add(struct written_parts *written, const struct memory *memory,
                                const swathe_rect *part);
void written_parts_free(struct written_parts *written, const struct memory *memory);

#endif
