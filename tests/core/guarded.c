#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "guarded.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct guarded guarded_new(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), body = (size + page - 1) / page * page;
    uint8_t *base =
        mmap(NULL, body + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base, page, PROT_NONE) != 0 ||
        mprotect(base + page + body, page, PROT_NONE) != 0) {
        perror("guard pages");
        exit(99);
    }
    return (struct guarded){base + page, base + page + body};
}

void guarded_free(struct guarded *memory)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(memory->start - page, (size_t)(memory->end - memory->start) + 2 * page);
}
