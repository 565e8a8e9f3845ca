/* outbox.c with a bug: the last byte of the rows above a part is lost. */
#include <string.h>

static void *copy_less(void *to, const void *from, size_t count)
{
    return memmove(to, from, count > 0 ? count - 1 : 0);
}

#define memcpy copy_less
#include "run/outbox.c"
