/* The TIFF writer without zeros beyond the edge: what lies there is what the thread's block before
 * left, so that the bytes of a file depend on who compressed what. */
#include <string.h>

static void *planted_set(void *to, int value, size_t size)
{
    (void)value;
    (void)size;
    return to;
}

#define memset planted_set
#include "io/tiff_write.c"
