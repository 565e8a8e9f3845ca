/* Where the library allocates: single blocks, and arenas. */
#ifndef SWATHE_BASE_MEMORY_H
#define SWATHE_BASE_MEMORY_H

#include "base/status.h"

/* Only this module allocates. Allocations are aligned for the widest vectors. */

enum { MEMORY_ALIGN = 64 };

struct memory {
    void *(*allocate)(void *user, size_t size, size_t align);
    void (*release)(void *user, void *allocation);
    void *user;
};

/* The C library's allocator. */
extern const struct memory memory_default;

/* Allocates count × size zeroed bytes; `what` names them in the message if that fails. */
swathe_status memory_new(const struct memory *memory, int64_t count, int64_t size, const char *what,
                         void *allocation);
/* The same without zeroing. */
swathe_status memory_new_raw(const struct memory *memory, int64_t count, int64_t size,
                             const char *what, void *allocation);
/* Allocates `size` bytes and zeroes the first `head`: for a struct that ends with a large
 * buffer. */
swathe_status memory_new_headed(const struct memory *memory, int64_t head, int64_t size,
                                const char *what, void *allocation);
void memory_free(const struct memory *memory, void *allocation);

/* Many small allocations with the same lifetime: a chain or a plan and everything it points to. */

struct arena {
    const struct memory *memory;
    struct arena_allocation *allocations;
    int64_t bytes; /* of all allocations */
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
