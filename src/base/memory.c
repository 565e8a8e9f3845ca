#include "base/memory.h"

#include "base/checked.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *default_allocate(void *user, size_t size, size_t align)
{
    (void)user;
#if defined(_WIN32)
    return _aligned_malloc(size, align);
#else
    void *allocation = NULL;
    return posix_memalign(&allocation, align, size) == 0 ? allocation : NULL;
#endif
}

static void default_release(void *user, void *allocation)
{
    (void)user;
#if defined(_WIN32)
    _aligned_free(allocation);
#else
    free(allocation);
#endif
}

const struct memory memory_default = {default_allocate, default_release, NULL};

swathe_status memory_new_raw(const struct memory *memory, int64_t count, int64_t size,
                             const char *what, void *allocation)
{
    int64_t bytes;
    if (count < 0 || size < 0 || !checked_mul(count, size, &bytes) ||
        !checked_add(bytes, MEMORY_ALIGN, &bytes) || (uint64_t)bytes > SIZE_MAX)
        return fail(SWATHE_ERROR_LIMIT, "%s: %" PRId64 " x %" PRId64 " bytes exceed 2^63", what,
                    count, size);
    void *got = memory->allocate(memory->user, (size_t)bytes, MEMORY_ALIGN);
    if (!got) {
        char human[32];
        return fail(SWATHE_ERROR_MEMORY, "%s: no memory for %s", what,
                    text_bytes(bytes, human, sizeof human));
    }
    memcpy(allocation, &got, sizeof got);
    return SWATHE_OK;
}

swathe_status memory_new_headed(const struct memory *memory, int64_t head, int64_t size,
                                const char *what, void *allocation)
{
    void *got;
    TRY(memory_new_raw(memory, size, 1, what, &got));
    memset(got, 0, (size_t)head);
    memcpy(allocation, &got, sizeof got);
    return SWATHE_OK;
}

swathe_status memory_new(const struct memory *memory, int64_t count, int64_t size, const char *what,
                         void *allocation)
{
    void *got;
    TRY(memory_new_raw(memory, count, size, what, &got));
    memset(got, 0, (size_t)(count * size));
    memcpy(allocation, &got, sizeof got);
    return SWATHE_OK;
}

void memory_free(const struct memory *memory, void *allocation)
{
    if (allocation)
        memory->release(memory->user, allocation);
}

/* ---- Arenas --------------------------------------------------------------------------------- */

struct arena_allocation {
    struct arena_allocation *next;
    char pad[MEMORY_ALIGN - sizeof(struct arena_allocation *)]; /* keeps the allocation aligned */
};

static swathe_status base_memory_allocate(struct arena *arena, int64_t count, int64_t size,
                                          const char *what, bool zeroed, void *allocation)
{
    int64_t bytes;
    if (count < 0 || !checked_mul(count, size, &bytes) ||
        !checked_add(bytes, (int64_t)sizeof(struct arena_allocation), &bytes))
        return fail(SWATHE_ERROR_LIMIT, "%s: its size exceeds 2^63 bytes", what);
    struct arena_allocation *got;
    TRY((zeroed ? memory_new : memory_new_raw)(arena->memory, bytes, 1, what, &got));
    got->next = arena->allocations;
    arena->allocations = got;
    arena->bytes += bytes;
    void *body = got + 1;
    memcpy(allocation, &body, sizeof body);
    return SWATHE_OK;
}

swathe_status arena_new(struct arena *arena, int64_t count, int64_t size, const char *what,
                        void *allocation)
{
    return base_memory_allocate(arena, count, size, what, true, allocation);
}

swathe_status arena_new_raw(struct arena *arena, int64_t count, int64_t size, const char *what,
                            void *allocation)
{
    return base_memory_allocate(arena, count, size, what, false, allocation);
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
