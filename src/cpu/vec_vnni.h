/* AVX-512 with VNNI: as vec_avx512.h but for the step that VNNI makes shorter. */
#define pair_add pair_add_in_two
#include "cpu/vec_avx512.h"
#undef pair_add

static inline pair_acc pair_add(pair_acc acc, vs a, vs b, int32_t taps)
{
    __m512i w = _mm512_set1_epi32(taps);
    acc.low = _mm512_dpwssd_epi32(acc.low, _mm512_unpacklo_epi16(a, b), w);
    acc.high = _mm512_dpwssd_epi32(acc.high, _mm512_unpackhi_epi16(a, b), w);
    return acc;
}
