/* Division by a multiplication and shifts. */
#ifndef SWATHE_CPU_RECIPROCAL_H
#define SWATHE_CPU_RECIPROCAL_H

#include <stdint.h>

struct reciprocal {
    uint64_t multiplier;
    int32_t shift;
};

/* floor(t / n) = (t·multiplier >> 32) >> shift for t below 2^31 and n from 2 to 2^31. With
 * 2^(b-1) < n ≤ 2^b and m = floor(2^(31+b) / n) + 1, which is below 2^32, the product exceeds the
 * quotient by at most t / 2^(31+b), which is less than 1/n. */
static inline struct reciprocal reciprocal_of(uint32_t n)
{
    struct reciprocal by = {0, 0};
    while (((uint64_t)2 << by.shift) < n)
        by.shift++;
    by.multiplier = ((uint64_t)1 << (32 + by.shift)) / n + 1;
    return by;
}

/* floor(t / 2n) in 16 bits, for t = 2S + n, S up to 255·n: (t·multiplier >> 16) >> shift. All S are
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
