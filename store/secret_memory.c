#define _GNU_SOURCE /* MADV_DONTDUMP, MAP_ANONYMOUS */
#include "secret_memory.h"

#include <openssl/crypto.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 4096;
}

static void hide(void *memory, size_t size)
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
    hide(memory, size);
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
    hide((void *)first, end - first);
}
