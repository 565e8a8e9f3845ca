#include "filter/point.h"

#include "filter/rounding.h"
#include "filter/weights.h"

#include <math.h>

struct point_range point_whole(swathe_type type)
{
    const struct sample_entry *entry = sample_entry(type);
    if (sample_is_float(type))
        return (struct point_range){0.0, 1.0};
    return (struct point_range){entry->lowest, entry->highest};
}

static bool is_whole_within(struct point_range range, swathe_type type)
{
    const struct sample_entry *entry = sample_entry(type);
    return range.low == floor(range.low) && range.high == floor(range.high) &&
           range.low >= entry->lowest && range.high <= entry->highest;
}

bool point_is_exact(const struct point *point)
{
    return !sample_is_float(point->in) && !sample_is_float(point->out) &&
           is_whole_within(point->from, point->in);
}

static double point_abs(const struct point *point, double sample)
{
    (void)point;
    return fabs(sample);
}

/* floor((2·n·m + r) / 2r) = floor((n·m + floor(r/2)) / r). The samples have at most 32 bits, so
 * n < r < 2^32 and m < 2^32, and n·m + r/2 is below 2^64. */
static double map_integers(const struct point *point, double sample)
{
    uint64_t n = (uint64_t)(sample - point->from.low);
    uint64_t r = (uint64_t)(point->from.high - point->from.low);
    uint64_t m = (uint64_t)(point->to.high - point->to.low);
    return point->to.low + (double)((n * m + r / 2) / r);
}

static double point_range(const struct point *point, double sample)
{
    struct point_range from = point->from, to = point->to;
    if (sample <= from.low)
        return to.low;
    if (sample >= from.high)
        return to.high;
    if (point_is_exact(point))
        return map_integers(point, sample);
    double share = (sample - from.low) / (from.high - from.low);
    if (sample_is_float(point->out) || isnan(share))
        return share; /* floats have the range 0 to 1 */
    return to.low + rounding_half_up(share * (to.high - to.low));
}

static double point_decode(const struct point *point, double sample)
{
    return (double)point->curve->decode[(int32_t)sample];
}

static double point_encode(const struct point *point, double sample)
{
    return curve_encode(point->curve, sample);
}

double point_apply(const struct point *point, double sample)
{
    static double (*const functions[])(const struct point *, double) = {
#define POINT(id, name) point_##id,
#include "filter/point.def"
#undef POINT
    };
    if (weights_misses(point->missing, sample))
        return point->missing->none;
    double value = functions[point->id](point, sample) + point->bias;
    if (!sample_is_float(point->out))
        value = rounding_half_up(value);
    else if (point->out == SWATHE_F32)
        value = (float)value;
    value = ROUNDING_CLAMP(value, point->low, point->high);
    return point->missing ? weights_present(point->missing, value) : value;
}
