/* How results are rounded and clamped, in the subset of C that OpenCL, CUDA and HIP share.
 * reference.c and the kernels of gpu/ include this file. */
#ifndef SWATHE_FILTER_ROUNDING_H
#define SWATHE_FILTER_ROUNDING_H

/* Kernels define these for their language before they include this file. */
#ifndef ROUNDING_FUNCTION
#include <math.h>
#define ROUNDING_FUNCTION static inline
#define ROUNDING_REAL     double
#define ROUNDING_FLOOR(x) floor(x)
#endif

/* floor(sum / 2^shift) for any signed type: all supported compilers shift negative numbers
 * arithmetically. */
#define ROUNDING_SHIFT(sum, shift) ((sum) >> (shift))

#define ROUNDING_CLAMP(value, low, high)                                                           \
    ((value) < (low) ? (low) : (value) > (high) ? (high) : (value))

/* floor(value + 1/2) as if in exact arithmetic. NaN becomes 0, infinities stay infinite.
 *
 * With whole = floor(value), value - whole is at least 1/2 exactly when the difference computed in
 * floats is. For value >= 0 the difference is exact: it is a multiple of the last place of value,
 * and smaller. For value < 0 a difference below 1/2 implies |value| > |whole| / 2, so it is exact,
 * too. Rounding to nearest never takes a difference of at least 1/2 below 1/2, which is a float.
 * whole + 1 is exact, because floats from 2^23 on, and doubles from 2^52 on, have no fraction.
 * Infinity minus infinity is NaN, which is not >= 1/2. */
ROUNDING_FUNCTION ROUNDING_REAL rounding_half_up(ROUNDING_REAL value)
{
    ROUNDING_REAL whole = ROUNDING_FLOOR(value);
    if (value != value)
        return 0.0f;
    return value - whole >= 0.5f ? whole + 1.0f : whole;
}

#endif
