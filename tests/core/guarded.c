#define _DEFAULT_SOURCE  /* MAP_ANONYMOUS */
#define _DARWIN_C_SOURCE /* MAP_ANONYMOUS */
#include "guarded.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(_WIN32)
#include <windows.h>

enum { PAGE = 4096 };

static size_t page_size(void)
{
    return PAGE;
}

static uint8_t *map(size_t size)
{
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

static int protect(uint8_t *page)
{
    DWORD before;
    return VirtualProtect(page, PAGE, PAGE_NOACCESS, &before) ? 0 : -1;
}

static void unmap(uint8_t *pages, size_t size)
{
    (void)size;
    VirtualFree(pages, 0, MEM_RELEASE);
}
#else
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static uint8_t *map(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static int protect(uint8_t *page)
{
    return mprotect(page, page_size(), PROT_NONE);
}

static void unmap(uint8_t *pages, size_t size)
{
    munmap(pages, size);
}
#endif

struct guarded guarded_new(size_t size)
{
    size_t page = page_size(), body = (size + page - 1) / page * page;
    uint8_t *base = map(body + 2 * page);
    if (!base || protect(base) != 0 || protect(base + page + body) != 0) {
        perror("guard pages");
        exit(99);
    }
    return (struct guarded){base + page, base + page + body};
}

void guarded_free(struct guarded *memory)
{
    size_t page = page_size();
    unmap(memory->start - page, (size_t)(memory->end - memory->start) + 2 * page);
}
