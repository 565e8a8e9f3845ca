#include "counting.h"

#include "base/memory.h"

struct counting counting;

void *counting_allocate(void *user, size_t size, size_t align)
{
    (void)user;
    counting.calls++;
    if (counting.at &&
        (counting.calls == counting.at || (counting.forever && counting.calls > counting.at)))
        return NULL;
    void *block = memory_default.allocate(NULL, size, align);
    counting.live += block != NULL;
    return block;
}

void counting_release(void *user, void *block)
{
    (void)user;
    counting.live--;
    memory_default.release(NULL, block);
}
