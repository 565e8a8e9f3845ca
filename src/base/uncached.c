#include "base/uncached.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

enum { LINE = 64 };

static void copy_line(uint8_t *to, const uint8_t *from)
{
    for (int i = 0; i < LINE; i += 16)
        _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
}

/* Whole lines of the target past the caches, its ragged ends as usual. */
void uncached_copy(void *to, const void *from, int64_t bytes)
{
    uint8_t *target = to;
    const uint8_t *source = from;
    int64_t i = (int64_t)(-(uintptr_t)target % LINE);
    if (i > bytes)
        i = bytes;
    memcpy(target, source, (size_t)i);
    for (; i + LINE <= bytes; i += LINE)
        copy_line(target + i, source + i);
    memcpy(target + i, source + i, (size_t)(bytes - i));
}

void uncached_end(void)
{
    _mm_sfence();
}

#else

void uncached_copy(void *to, const void *from, int64_t bytes)
{
    memcpy(to, from, (size_t)bytes);
}

void uncached_end(void)
{
}

#endif
