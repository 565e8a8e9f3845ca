#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise */
#include "machine.h"
#include "peak.h"

#include <string.h>
#include <sys/mman.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { LINE = 64 };

struct copy {
    uint8_t *from, *to;
    size_t size; /* of each */
    int32_t threads;
};

/* The offset of a thread's part, a multiple of the cache line. */
static size_t part_start(const struct copy *copy, int32_t index)
{
    return copy->size / LINE * (size_t)index / (size_t)copy->threads * LINE;
}

/* The thread that copies a page also touches it first, so that it is on that thread's NUMA node. */
static void peak_copy_fill_part(void *user, int32_t index)
{
    struct copy *copy = user;
    size_t start = part_start(copy, index), end = part_start(copy, index + 1);
    memset(copy->from + start, 1 + index % 100, end - start);
    memset(copy->to + start, 0, end - start);
}

static void peak_copy_part(void *user, int32_t index)
{
    struct copy *copy = user;
    size_t start = part_start(copy, index), end = part_start(copy, index + 1);
    memcpy(copy->to + start, copy->from + start, end - start);
}

/* Non-temporal stores: cache lines of the result are not read first. memcpy uses them only for
 * copies that it considers large, which depends on the reported cache sizes. */
static void stream_part(void *user, int32_t index)
{
#if defined(__x86_64__)
    struct copy *copy = user;
    size_t start = part_start(copy, index), end = part_start(copy, index + 1);
    for (size_t at = start; at < end; at += LINE)
        for (size_t i = at; i < at + LINE; i += sizeof(__m128i))
            _mm_stream_si128((__m128i *)(copy->to + i),
                             _mm_load_si128((const __m128i *)(copy->from + i)));
    _mm_sfence();
#else
    peak_copy_part(user, index);
#endif
}

/* Together, the two buffers are at least twice the last-level cache, unless memory is short. */
static size_t block_size(void)
{
    struct machine machine;
    machine_read(&machine);
    int64_t size = 64 << 20;
    size = machine.cache_last > size ? machine.cache_last : size;
    size = machine.memory > 0 && machine.memory / 8 < size ? machine.memory / 8 : size;
    return (size_t)size / LINE * LINE;
}

static uint8_t *map_block(size_t size)
{
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
#if defined(MADV_HUGEPAGE)
    madvise(block, size, MADV_HUGEPAGE); /* a peak should not include page table walks */
#endif
    return block;
}

double peak_copy(int32_t threads, double seconds)
{
    struct copy copy = {.size = block_size(), .threads = threads};
    double best = 0;
    copy.from = map_block(copy.size);
    copy.to = map_block(copy.size);
    if (copy.from && copy.to && team_run(threads, peak_copy_fill_part, &copy) > 0)
        best = team_best(threads, peak_copy_part, stream_part, &copy, seconds);
    if (copy.to)
        munmap(copy.to, copy.size);
    if (copy.from)
        munmap(copy.from, copy.size);
    return best > 0 ? 2e-9 * (double)copy.size / best : 0;
}

bool peak_measure(int32_t threads, double seconds, struct peak *peak)
{
    double copy = peak_copy(threads, seconds / 2);
    double fma = copy > 0 ? peak_fma(threads, seconds / 2) : 0;
    if (fma <= 0)
        return false;
    peak->threads = threads;
    peak->copy_gbs = copy;
    peak->fma_gflops = fma;
    return true;
}
