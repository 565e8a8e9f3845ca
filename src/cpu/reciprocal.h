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

/* floor(t / n) in 16 bits, for t up to 255·n + add: (t·multiplier >> 16) >> shift, with the
 * smallest shift; multiplier is 0 if there is none or t exceeds 16 bits. Products are never too
 * small, and come closest to the next quotient right before a multiple of n. */
static inline struct reciprocal reciprocal_short(uint32_t n, uint32_t add)
{
    const struct reciprocal none = {0, 0};
    uint64_t most = 255 * (uint64_t)n + add;
    if (n < 2 || most > UINT16_MAX)
        return none;
    for (int32_t shift = 0; shift < 16; shift++) {
        uint64_t multiplier = (((uint64_t)65536 << shift) + n - 1) / n, t = n - 1;
        while (t <= most && (t * multiplier >> 16) >> shift == t / n)
            t += n;
        if (t > most)
            return multiplier <= UINT16_MAX ? (struct reciprocal){multiplier, shift} : none;
    }
    return none;
}

#endif
