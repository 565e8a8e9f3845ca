/* Only this module allocates. */
#ifndef STORE_STORE_MEMORY_H
#define STORE_STORE_MEMORY_H

#include <stddef.h>

/* count x size zeroed bytes; NULL if there are none left or the product exceeds SIZE_MAX. */
void *store_new(size_t count, size_t size);
/* Resizes to count x size bytes, of which new ones are not zeroed; on failure returns NULL and
 * leaves the old allocation as it was. */
void *store_resize(void *allocation, size_t count, size_t size);
void store_free(void *allocation);
/* A copy of a string; NULL if memory is short. */
char *store_copy(const char *text);

#endif
