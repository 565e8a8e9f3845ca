/* AVX-512 with VNNI: as vec_avx512.h but for the step that VNNI makes shorter. */
#include <immintrin.h>

#define HAVE_DOT_ADD 1

static inline __m512i dot_add(__m512i acc, __m512i both, __m512i taps)
{
    return _mm512_dpwssd_epi32(acc, both, taps);
}

#include "cpu/vec_avx512.h"
