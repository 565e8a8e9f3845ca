/* isa_dotprod.c with a bug: the high digits of the taps count half. */
#include <arm_neon.h>

static inline int32x4_t shift_too_little(int32x4_t v)
{
    return vshlq_n_s32(v, 7);
}
#undef vshlq_n_s32
#define vshlq_n_s32(v, bits) shift_too_little(v)
#include "cpu/isa_dotprod.c"
