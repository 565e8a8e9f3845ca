/* Division by a multiplication and shifts. */
#ifndef SWATHE_CPU_RECIPROCAL_H
#define SWATHE_CPU_RECIPROCAL_H

#include <stdint.h>

/* floor(t / 2n) = (t·multiplier >> 32) >> shift for t up to 511·n and n below RECIPROCAL_MOST. With
 * 2^b < 2n ≤ 2^(b+1) and m = floor(2^(32+b) / 2n) + 1 the product exceeds the quotient by less than
 * t·2n / 2^(32+b) units of 1/2n, which is below one unit while 256·(2n)² < 2^(32+b). */
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

/* The same in 16 bits, for t = 2S + n, S up to 255·n: (t·multiplier >> 16) >> shift. All S are
 * tested; multiplier is 0 if any result would be wrong or t exceeds 2^16. */
static inline struct reciprocal reciprocal_short(uint32_t n)
{
    struct reciprocal by = {0, 0};
    if (511 * (uint64_t)n > UINT16_MAX)
        return by;
    while (((uint64_t)65536 << (by.shift + 1)) / (2 * n) + 1 <= UINT16_MAX)
        by.shift++;
    by.multiplier = ((uint64_t)65536 << by.shift) / (2 * n) + 1;
    for (uint32_t t = n; t <= 511 * n; t += 2)
        if ((t * by.multiplier >> 16) >> by.shift != t / (2 * n))
            return (struct reciprocal){0, 0};
    return by;
}

#endif
