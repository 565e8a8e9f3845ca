#include "base/arena.h"

#include "base/checked.h"

#include <stdbool.h>
#include <string.h>

struct arena_allocation {
    struct arena_allocation *next;
    char pad[MEMORY_ALIGN - sizeof(struct arena_allocation *)]; /* keeps the allocation aligned */
};

static swathe_status allocate(struct arena *arena, int64_t count, int64_t size, const char *what,
                              bool zeroed, void *allocation)
{
    int64_t bytes;
    if (count < 0 || !checked_mul(count, size, &bytes) ||
        !checked_add(bytes, (int64_t)sizeof(struct arena_allocation), &bytes))
        return fail(SWATHE_ERROR_LIMIT, "%s: its size exceeds 2^63 bytes", what);
    struct arena_allocation *got;
    TRY((zeroed ? memory_new : memory_new_raw)(arena->memory, bytes, 1, what, &got));
    got->next = arena->allocations;
    arena->allocations = got;
    void *body = got + 1;
    memcpy(allocation, &body, sizeof body);
    return SWATHE_OK;
}

swathe_status arena_new(struct arena *arena, int64_t count, int64_t size, const char *what,
                        void *allocation)
{
    return allocate(arena, count, size, what, true, allocation);
}

swathe_status arena_new_raw(struct arena *arena, int64_t count, int64_t size, const char *what,
                            void *allocation)
{
    return allocate(arena, count, size, what, false, allocation);
}

swathe_status arena_copy(struct arena *arena, const char *text, size_t length, char **copy)
{
    char *got;
    TRY(arena_new(arena, (int64_t)length + 1, 1, "a text", &got));
    memcpy(got, text, length);
    *copy = got;
    return SWATHE_OK;
}

void arena_free(struct arena *arena)
{
    while (arena->allocations) {
        struct arena_allocation *allocation = arena->allocations;
        arena->allocations = allocation->next;
        memory_free(arena->memory, allocation);
    }
}
