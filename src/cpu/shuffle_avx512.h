/* Pixels and planes with AVX-512: see cpu/shuffle.h. */
#ifndef SWATHE_CPU_SHUFFLE_AVX512_H
#define SWATHE_CPU_SHUFFLE_AVX512_H

#include "cpu/shuffle.h"

#include <immintrin.h>

enum { VECTOR = 64 };

/* Collects the bytes of one output vector from all input vectors. */
static inline __m512i gather(const struct tiles_shuffle *shuffle, int32_t count, int32_t to,
                             const __m512i *in)
{
    const uint8_t *index = shuffle->index + (int64_t)to * count * VECTOR;
    const uint64_t *from = shuffle->from + (int64_t)to * count;
    __m512i out = _mm512_permutexvar_epi8(_mm512_loadu_si512(index), in[0]);
    for (int32_t v = 1; v < count; v++)
        out = _mm512_mask_permutexvar_epi8(out, from[v], _mm512_loadu_si512(index + v * VECTOR),
                                           in[v]);
    return out;
}

/* A plane of pixels: the bytes of one output vector of a split. */
static inline __m512i split_plane(const struct tiles_shuffle *shuffle, int32_t count, int32_t plane,
                                  const __m512i *in)
{
    if (!shuffle->once)
        return gather(shuffle, count, plane, in);
    __m512i mixed = in[0];
    for (int32_t v = 1; v < count; v++)
        mixed = _mm512_mask_mov_epi8(mixed, shuffle->blend[plane * count + v], in[v]);
    return _mm512_permutexvar_epi8(_mm512_loadu_si512(shuffle->once + plane * VECTOR), mixed);
}

/* A mask of the first `bytes` of a vector, 0 to 64. */
static inline __mmask64 first_bytes(int64_t bytes)
{
    return bytes >= VECTOR ? ~UINT64_C(0) : bytes <= 0 ? 0 : (UINT64_C(1) << bytes) - 1;
}

/* Specialized for the usual counts, so that vectors stay in registers. */
#define BY_COUNT(call, ...)                                                                        \
    switch (shuffle->count) {                                                                      \
    case 1:                                                                                        \
        call(shuffle, 1, __VA_ARGS__);                                                             \
        break;                                                                                     \
    case 2:                                                                                        \
        call(shuffle, 2, __VA_ARGS__);                                                             \
        break;                                                                                     \
    case 3:                                                                                        \
        call(shuffle, 3, __VA_ARGS__);                                                             \
        break;                                                                                     \
    case 4:                                                                                        \
        call(shuffle, 4, __VA_ARGS__);                                                             \
        break;                                                                                     \
    default:                                                                                       \
        call(shuffle, shuffle->count, __VA_ARGS__);                                                \
    }

#endif
