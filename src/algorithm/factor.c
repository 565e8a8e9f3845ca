#include "algorithm/factor.h"

static int32_t tap(const struct op_taps *taps, int32_t x, int32_t y)
{
    return taps->w[(int64_t)y * taps->width + x];
}

/* Magnitudes of taps are below 2^31, so nothing overflows. */
static int32_t common_divisor(int32_t a, int32_t b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool find_first(const struct op_taps *taps, struct factor *factor)
{
    for (int32_t y = 0; y < taps->height; y++)
        for (int32_t x = 0; x < taps->width; x++)
            if (tap(taps, x, y) != 0) {
                factor->first_x = x;
                factor->first_y = y;
                return true;
            }
    return false;
}

/* The first non-zero row, divided by the common divisor of its taps. */
static int32_t base(const struct factor *factor, int32_t x)
{
    return tap(factor->taps, x, factor->first_y) / factor->across_divisor;
}

/* The factor of row y, which is an integer if the row is a multiple of that one. */
static int32_t multiple(const struct factor *factor, int32_t y)
{
    return tap(factor->taps, factor->first_x, y) / base(factor, factor->first_x);
}

static bool is_multiple(const struct factor *factor, int32_t y)
{
    int64_t times = multiple(factor, y);
    for (int32_t x = 0; x < factor->taps->width; x++)
        if (tap(factor->taps, x, y) != times * base(factor, x))
            return false;
    return true;
}

bool factor_find(const struct op_taps *taps, struct factor *factor)
{
    *factor = (struct factor){.taps = taps};
    if (!find_first(taps, factor))
        return false;
    for (int32_t x = 0; x < taps->width; x++)
        factor->across_divisor =
            common_divisor(factor->across_divisor, tap(taps, x, factor->first_y));
    for (int32_t y = 0; y < taps->height; y++) {
        if (!is_multiple(factor, y))
            return false;
        factor->down_divisor = common_divisor(factor->down_divisor, multiple(factor, y));
    }
    return true;
}

int32_t factor_down(const struct factor *factor, int32_t y)
{
    return multiple(factor, y) / factor->down_divisor;
}

int32_t factor_across(const struct factor *factor, int32_t x)
{
    return base(factor, x) * factor->down_divisor;
}
