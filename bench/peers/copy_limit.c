/* A lower bound for every filter: copies the same bytes, row by row, into a reused output. */
#include "split.h"

#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef void copy_row(uint8_t *to, const uint8_t *from, size_t size);

typedef struct {
    copy_row *row;
    const uint8_t *from;
    uint8_t *to;
    size_t row_bytes, rows;
    int threads;
} copy;

static void plain_row(uint8_t *to, const uint8_t *from, size_t size)
{
    memcpy(to, from, size);
}

/* Non-temporal stores, from the first aligned byte on. */
static void streamed_row(uint8_t *to, const uint8_t *from, size_t size)
{
#if defined(__AVX512F__)
    size_t head = -(uintptr_t)to & 63;
    if (head > size)
        head = size;
    memcpy(to, from, head);
    for (; head + 64 <= size; head += 64)
        _mm512_stream_si512((__m512i *)(to + head), _mm512_loadu_si512(from + head));
    memcpy(to + head, from + head, size - head);
#elif defined(__SSE2__)
    size_t head = -(uintptr_t)to & 15;
    if (head > size)
        head = size;
    memcpy(to, from, head);
    for (; head + 16 <= size; head += 16)
        _mm_stream_si128((__m128i *)(to + head), _mm_loadu_si128((const __m128i *)(from + head)));
    memcpy(to + head, from + head, size - head);
#else
    memcpy(to, from, size);
#endif
}

static void copy_part(void *user, int index)
{
    const copy *c = user;
    size_t first = c->rows * (size_t)index / (size_t)c->threads;
    size_t last = c->rows * ((size_t)index + 1) / (size_t)c->threads;
    for (size_t y = first; y < last; y++)
        c->row(c->to + y * c->row_bytes, c->from + y * c->row_bytes, c->row_bytes);
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

int copy_rows(void *to, const void *from, int64_t row_bytes, int64_t rows, int threads,
              int streamed)
{
    copy c = {
        streamed ? streamed_row : plain_row, from, to, (size_t)row_bytes, (size_t)rows, threads};
    return split_run(threads, copy_part, &c);
}
