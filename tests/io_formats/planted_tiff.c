/* The TIFF writer without zero padding beyond the edge: the padding contains the thread's previous
 * block, so that the bytes of a file depend on which thread compressed what. */
#include <string.h>

static void *planted_set(void *to, int value, size_t size)
{
    (void)value;
    (void)size;
    return to;
}

#define memset planted_set
#include "io/tiff/write.c"
