#include "base/float_mode.h"

#if defined(__x86_64__) || defined(__SSE__)
#include <xmmintrin.h>

struct float_mode float_mode_enter(void)
{
    struct float_mode mode = {_mm_getcsr()};
    _mm_setcsr(0x1f80); /* the power-on value: all exceptions masked, nearest, no flushing */
    return mode;
}

void float_mode_leave(struct float_mode mode)
{
    _mm_setcsr((unsigned)mode.saved);
}

#elif defined(__aarch64__)

struct float_mode float_mode_enter(void)
{
    struct float_mode mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode.saved));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return mode;
}

void float_mode_leave(struct float_mode mode)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(mode.saved));
}

#else
#include <fenv.h>

struct float_mode float_mode_enter(void)
{
    struct float_mode mode = {(uint64_t)fegetround()};
    fesetround(FE_TONEAREST);
    return mode;
}

void float_mode_leave(struct float_mode mode)
{
    fesetround((int)mode.saved);
}

#endif
