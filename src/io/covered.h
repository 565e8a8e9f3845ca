/* The parts of an image that were written in any order, to know when it is complete. */
#ifndef SWATHE_IO_COVERED_H
#define SWATHE_IO_COVERED_H

#include "base/memory.h"

#include <stdbool.h>

/* All 0: nothing is covered. */
struct covered {
    swathe_rect *parts; /* disjoint; adjacent parts are joined, so there are usually few */
    int64_t count, room;
};

/* True if the part shares a pixel with an earlier one. */
bool covered_meets(const struct covered *covered, const swathe_rect *part);
/* Adds a part that meets no earlier one. */
swathe_status covered_add(struct covered *covered, const struct memory *memory,
                          const swathe_rect *part);
void covered_free(struct covered *covered, const struct memory *memory);

#endif
