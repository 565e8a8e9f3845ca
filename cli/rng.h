/* Random numbers that are the same on every machine: splitmix64. Used by checks of devices and by
 * all tests. */
#ifndef SWATHE_CLI_RNG_H
#define SWATHE_CLI_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* low..high, both included */
static inline int64_t rng_between(struct rng *rng, int64_t low, int64_t high)
{
    return low + (int64_t)(rng_next(rng) % (uint64_t)(high - low + 1));
}

/* true once in n */
static inline int rng_once_in(struct rng *rng, int n)
{
    return rng_next(rng) % (uint64_t)n == 0;
}

/* −1 to 1 */
static inline double rng_unit(struct rng *rng)
{
    return (double)(int64_t)(rng_next(rng) >> 11) * 0x1p-52 - 1.0;
}

/* Small values are more likely than large ones. */
static inline int64_t rng_skewed(struct rng *rng, int64_t low, int64_t high)
{
    return rng_between(rng, low, rng_between(rng, low, high));
}

#endif
