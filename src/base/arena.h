/* Many small allocations with one life: a chain or a plan and everything it points to. */
#ifndef SWATHE_BASE_ARENA_H
#define SWATHE_BASE_ARENA_H

#include "base/memory.h"

struct arena {
    const struct memory *memory;
    struct arena_allocation *allocations;
};

/* count × size zeroed bytes that live until arena_free. */
swathe_status arena_new(struct arena *arena, int64_t count, int64_t size, const char *what,
                        void *allocation);
/* The first `length` bytes of a text, terminated. */
swathe_status arena_copy(struct arena *arena, const char *text, size_t length, char **copy);
void arena_free(struct arena *arena);

#endif
