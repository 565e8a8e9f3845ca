/* How results are rounded and clamped, in the part of C that OpenCL, CUDA and HIP share:
 * reference.c and the kernels of gpu/ read the same lines. */
#ifndef SWATHE_FILTER_ROUNDING_H
#define SWATHE_FILTER_ROUNDING_H

/* Kernels define these for their dialect first. */
#ifndef ROUNDING_FUNCTION
#include <math.h>
#define ROUNDING_FUNCTION static inline
#define ROUNDING_FLOOR(x) floorf(x)
#endif

/* floor(sum / 2^shift), any signed type: shifts of negative numbers keep the sign in every compiler
 * that is supported. */
#define ROUNDING_SHIFT(sum, shift) ((sum) >> (shift))

#define ROUNDING_CLAMP(value, low, high)                                                           \
    ((value) < (low) ? (low) : (value) > (high) ? (high) : (value))

/* floor(value + 1/2) as if in exact arithmetic; NaN counts as 0, infinities stay.
 *
 * With whole = floor(value), value - whole is at least 1/2 exactly when the difference computed in
 * floats is. It is exact for value >= 0 (a multiple of value's last place, and smaller). For value
 * < 0 a difference below 1/2 means |value| > |whole| / 2, so it is exact, too; and rounding to
 * nearest never takes one of at least 1/2 below 1/2, a float. whole + 1 is exact: from 2^23 on
 * floats have no fraction. Infinity less infinity is NaN, which is not >= 1/2. */
ROUNDING_FUNCTION float rounding_half_up(float value)
{
    float whole = ROUNDING_FLOOR(value);
    if (value != value)
        return 0.0f;
    return value - whole >= 0.5f ? whole + 1.0f : whole;
}

#endif
