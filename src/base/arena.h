/* Many small allocations with the same lifetime: a chain or a plan and everything it points to. */
#ifndef SWATHE_BASE_ARENA_H
#define SWATHE_BASE_ARENA_H

#include "base/memory.h"

struct arena {
    const struct memory *memory;
    struct arena_allocation *allocations;
};

/* Allocates count × size zeroed bytes. arena_free frees them. */
swathe_status arena_new(struct arena *arena, int64_t count, int64_t size, const char *what,
                        void *allocation);
/* The same without zeroing, for memory that is filled right away. */
swathe_status arena_new_raw(struct arena *arena, int64_t count, int64_t size, const char *what,
                            void *allocation);
/* Copies the first `length` bytes of a text and terminates the copy. */
swathe_status arena_copy(struct arena *arena, const char *text, size_t length, char **copy);
void arena_free(struct arena *arena);

#endif
