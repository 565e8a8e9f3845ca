#include "store_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *store_new(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size > 0 ? size : 1);
}

void *store_resize(void *allocation, size_t count, size_t size)
{
    if (size > 0 && count > SIZE_MAX / size)
        return NULL;
    size_t bytes = count * size;
    return realloc(allocation, bytes > 0 ? bytes : 1);
}

void store_free(void *allocation)
{
    free(allocation);
}

char *store_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = store_new(size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}
