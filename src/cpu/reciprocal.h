/* Division by a multiplication and shifts. */
#ifndef SWATHE_CPU_RECIPROCAL_H
#define SWATHE_CPU_RECIPROCAL_H

#include <stdint.h>

/* floor(t / 2n) = (t·multiplier >> 32) >> shift for t up to 511·n and n below RECIPROCAL_MOST. With
 * 2^b < 2n ≤ 2^(b+1) and m = floor(2^(32+b) / 2n) + 1 the product is too large by less than
 * t·2n / 2^(32+b) of a unit of 1/2n, which is below one while 256·(2n)² < 2^(32+b). */
enum { RECIPROCAL_MOST = 1 << 20 };

struct reciprocal {
    uint64_t multiplier;
    int32_t shift;
};

static inline struct reciprocal reciprocal_of(uint32_t n)
{
    uint64_t twice = 2 * (uint64_t)n;
    struct reciprocal by = {0, 0};
    while (((uint64_t)2 << by.shift) < twice)
        by.shift++;
    by.multiplier = ((uint64_t)1 << (32 + by.shift)) / twice + 1;
    return by;
}

#endif
