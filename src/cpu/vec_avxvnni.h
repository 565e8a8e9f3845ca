/* AVX2 with AVX-VNNI: like vec_avx2.h, except the step that VNNI shortens. */
#include <immintrin.h>

#define HAVE_DOT_ADD 1

/* As in vec_vnni.h; {vex} because assemblers otherwise choose the form of AVX-512. */
static inline __m256i dot_add(__m256i acc, __m256i both, __m256i taps)
{
    __asm__("%{vex%} vpdpwssd %2, %1, %0" : "+x"(acc) : "x"(both), "x"(taps));
    return acc;
}

#include "cpu/vec_avx2.h"
