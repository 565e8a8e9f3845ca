#define _GNU_SOURCE /* MADV_DONTDUMP, MAP_ANONYMOUS */
#include "basics.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <openssl/crypto.h>

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

/* ---- Memory for secrets --------------------------------------------------------------------- */

static size_t page_size(void)
{
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 4096;
}

static void store_memory_hide(void *memory, size_t size)
{
#ifdef MADV_DONTDUMP
    (void)madvise(memory, size, MADV_DONTDUMP);
#else
    (void)memory;
    (void)size;
#endif
}

void *store_secret_new(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    store_memory_hide(memory, size);
    (void)mlock(memory, size); /* not swapped out, if the limit allows */
    return memory;
}

void store_secret_free(void *memory, size_t size)
{
    if (!memory)
        return;
    OPENSSL_cleanse(memory, size);
    munmap(memory, size);
}

void store_secret_hide(const char *text)
{
    size_t page = page_size();
    uintptr_t first = (uintptr_t)text / page * page;
    uintptr_t end = ((uintptr_t)text + strlen(text) + page) / page * page;
    store_memory_hide((void *)first, end - first);
}
