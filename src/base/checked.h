/* Arithmetic on sizes that detects overflow. */
#ifndef SWATHE_BASE_CHECKED_H
#define SWATHE_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool checked_add(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool checked_mul(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* Computes a·b·c for sizes that are not negative; false if it overflows. */
static inline bool checked_mul3(int64_t a, int64_t b, int64_t c, int64_t *product)
{
    int64_t ab;
    return checked_mul(a, b, &ab) && checked_mul(ab, c, product);
}

static inline int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ceil(a / b) for a >= 0, b > 0 */
static inline int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* floor(a / b) for b > 0 */
static inline int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* For sizes that are not negative. Results that overflow become INT64_MAX, which exceeds every
 * limit. */
static inline int64_t size_add(int64_t a, int64_t b)
{
    int64_t sum;
    return checked_add(a, b, &sum) ? sum : INT64_MAX;
}

static inline int64_t size_mul(int64_t a, int64_t b)
{
    int64_t product;
    return checked_mul(a, b, &product) ? product : INT64_MAX;
}

/* The next multiple of `step`, a power of two. */
static inline int64_t round_up(int64_t a, int64_t step)
{
    int64_t sum = size_add(a, step - 1);
    return sum == INT64_MAX ? sum : sum & -step;
}

/* The next multiple of any step > 0. */
static inline int64_t next_multiple(int64_t a, int64_t step)
{
    return size_mul(ceil_div(a, step), step);
}

#endif
