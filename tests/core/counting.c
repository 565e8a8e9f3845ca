#define _GNU_SOURCE /* posix_memalign */
#include "counting.h"

#include <stdlib.h>

struct counting counting;

void *counting_allocate(void *user, size_t size, size_t align)
{
    void *block = NULL;
    (void)user;
    counting.calls++;
    if (counting.at &&
        (counting.calls == counting.at || (counting.forever && counting.calls > counting.at)))
        return NULL;
    if (posix_memalign(&block, align, size) != 0)
        return NULL;
    counting.live++;
    return block;
}

void counting_release(void *user, void *block)
{
    (void)user;
    counting.live--;
    free(block);
}
