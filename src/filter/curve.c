#include "filter/curve.h"

#include <math.h>
#include <pthread.h>

/* ---- sRGB ------------------------------------------------------------------------------------ */

/* a^(1/5) for a in 0 … 1, by Newton's method: only + − × ÷, whose results IEEE 754 defines exactly.
 * It approaches the root from above, until rounding stops it. */
static double fifth_root(double a, double start)
{
    for (double root = start;;) {
        double square = root * root;
        double next = root - (root - a / (square * square)) * 0.2;
        if (next >= root)
            return root;
        root = next;
    }
}

/* IEC 61966-2-1. x^2.4 = x²·(x²)^(1/5); 0.6 + 0.4·x, the tangent at 1, is above that root. */
static double srgb_light(double sample)
{
    if (sample <= 0.04045)
        return sample / 12.92;
    double x = (sample + 0.055) / 1.055, square = x * x;
    return square * fifth_root(square, 0.6 + 0.4 * x);
}

/* ---- Curves ---------------------------------------------------------------------------------- */

/* The curve at n / d. The position between two values is exact, so that every machine rounds in the
 * same way. */
static double light_at(const struct curve *curve, int64_t n, int64_t d)
{
    if (!curve->values)
        return srgb_light((double)n / (double)d);
    int64_t place = n * (curve->size - 1), i = place / d;
    if (i == curve->size - 1)
        return curve->values[i];
    double share = (double)(place % d) / (double)d;
    return fma(share, curve->values[i + 1] - curve->values[i], curve->values[i]);
}

swathe_status curve_check(const struct curve *curve)
{
    if (!curve->values)
        return SWATHE_OK;
    if (curve->size < 2 || curve->size > CURVE_SIZE_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "a curve of %d values; it must have 2 to %d",
                    curve->size, CURVE_SIZE_MAX);
    for (int32_t i = 0; i < curve->size; i++) {
        double value = curve->values[i], before = i > 0 ? curve->values[i - 1] : 0.0;
        if (!(value >= 0.0 && value <= 1.0))
            return fail(SWATHE_ERROR_ARGUMENT, "a curve has the value %g; light must be 0 to 1",
                        value);
        if (value < before)
            return fail(SWATHE_ERROR_ARGUMENT,
                        "a curve decreases from %g to %g at value %d of %d, so it has no inverse",
                        before, value, i, curve->size);
    }
    if (curve->values[0] == curve->values[curve->size - 1])
        return fail(SWATHE_ERROR_ARGUMENT, "a curve has the value %g everywhere", curve->values[0]);
    return SWATHE_OK;
}

/* The largest change of a sample, from 0 to 1, by a change of light: 1 / the smallest slope. sRGB's
 * smallest slope is that of its straight part. */
static double steepest_inverse(const struct curve *curve)
{
    double least = INFINITY;
    if (!curve->values)
        return 12.92;
    for (int32_t i = 1; i < curve->size; i++)
        least = fmin(least, curve->values[i] - curve->values[i - 1]);
    return least > 0.0 ? 1.0 / (least * (curve->size - 1)) * (1.0 + 0x1p-40) : INFINITY;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Different samples get different light, even where the curve is flat or too close to flat. */
static void curve_fill(const struct curve *curve, int32_t most, float *decode, float *from,
                       struct curve_table *table)
{
    double error = 0.0;
    from[0] = -INFINITY;
    from[most + 1] = INFINITY;
    for (int32_t i = 0; i <= most; i++) {
        double light = light_at(curve, i, most), edge = light;
        decode[i] = (float)light;
        if (i > 0) {
            float next = nextafterf(decode[i - 1], INFINITY);
            edge = light_at(curve, 2 * (int64_t)i - 1, 2 * (int64_t)most);
            decode[i] = fmaxf(decode[i], next);
            from[i] = fminf(fmaxf((float)edge, next), decode[i]);
            error = fmax(error, fabs((double)from[i] - edge));
        }
        error = fmax(error, fabs((double)decode[i] - light));
    }
    /* 2^-48 covers the rounding of doubles. */
    *table =
        (struct curve_table){most, decode, from, error + 0x1p-48, steepest_inverse(curve) * most};
}

/* sRGB's tables are filled once, when the first plan needs one. */
static struct srgb_tables {
    float decode8[256], from8[257], decode16[65536], from16[65537];
    struct curve_table u8, u16;
} srgb;
static pthread_once_t once8 = PTHREAD_ONCE_INIT, once16 = PTHREAD_ONCE_INIT;

static void fill_srgb8(void)
{
    curve_fill(&(struct curve){0, NULL}, 255, srgb.decode8, srgb.from8, &srgb.u8);
}

static void fill_srgb16(void)
{
    curve_fill(&(struct curve){0, NULL}, 65535, srgb.decode16, srgb.from16, &srgb.u16);
}

static const struct curve_table *srgb_table(swathe_type type)
{
    pthread_once(type == SWATHE_U8 ? &once8 : &once16,
                 type == SWATHE_U8 ? fill_srgb8 : fill_srgb16);
    return type == SWATHE_U8 ? &srgb.u8 : &srgb.u16;
}

swathe_status curve_table(struct arena *arena, const struct curve *curve, swathe_type type,
                          const struct curve_table **table)
{
    int32_t most = type == SWATHE_U8 ? 255 : 65535;
    struct curve_table *made;
    float *decode, *from;
    if (!curve->values) {
        *table = srgb_table(type);
        return SWATHE_OK;
    }
    TRY(arena_new(arena, 1, sizeof *made, "a curve", &made));
    TRY(arena_new(arena, most + 1, sizeof *decode, "a curve", &decode));
    TRY(arena_new(arena, most + 2, sizeof *from, "a curve", &from));
    curve_fill(curve, most, decode, from, made);
    *table = made;
    return SWATHE_OK;
}

int32_t curve_encode(const struct curve_table *table, double light)
{
    int32_t low = 0, high = table->most + 1; /* from[low] <= light < from[high] */
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        *(light >= (double)table->from[middle] ? &low : &high) = middle;
    }
    return low;
}
