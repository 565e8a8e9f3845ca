/* AVX-512 with VNNI: like vec_avx512.h, except the step that VNNI shortens. */
#include <immintrin.h>

#define HAVE_DOT_ADD 1

/* This is inline assembly, because compilers copy the sums before and after the intrinsic. */
static inline __m512i dot_add(__m512i acc, __m512i both, __m512i taps)
{
    __asm__("vpdpwssd %2, %1, %0" : "+v"(acc) : "v"(both), "v"(taps));
    return acc;
}

#include "cpu/vec_avx512.h"
