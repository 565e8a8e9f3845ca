#include "filter/quantise.h"

#include "filter/mask.h"

#include <math.h>
#include <stdlib.h>

int64_t quantise_sample_max(swathe_type type)
{
    const struct sample_entry *entry = sample_entry(type);
    return (int64_t)(entry->highest > -entry->lowest ? entry->highest : -entry->lowest);
}

bool quantise_scaled(double value, int32_t bits, int64_t *scaled)
{
    double rounded = round(ldexp(value, bits));
    if (!(fabs(rounded) < 0x1p62))
        return false;
    *scaled = (int64_t)rounded;
    return true;
}

/* Taps that are too large become a value that violates every bound. */
static int32_t clip_tap(double tap)
{
    return tap > 0x1p30 ? 1 << 30 : tap < -0x1p30 ? -(1 << 30) : (int32_t)tap;
}

/* clip_tap(round(tap)), without a function call for each tap. */
static int32_t round_tap(double tap)
{
    int32_t whole = clip_tap(tap);
    double rest = tap - whole;
    return whole >= 1 << 30 || whole <= -(1 << 30) ? whole : whole + (rest >= 0.5) - (rest <= -0.5);
}

void quantise_taps(const double *k, int64_t count, int64_t anchor, int32_t q, int32_t *w)
{
    double scale = ldexp(1.0, q), sum = round(mask_sum(k, count) * scale);
    for (int64_t i = 0; i < count; i++) {
        w[i] = round_tap(k[i] * scale);
        sum -= w[i]; /* integers below 2^53: exact, or far beyond every bound */
    }
    w[anchor] = clip_tap(w[anchor] + sum);
}

static int64_t tap_most(swathe_type type)
{
    return type == SWATHE_U8 ? QUANTISE_U8_TAP_MAX : QUANTISE_16_TAP_MAX;
}

int64_t quantise_sum(const int32_t *w, int64_t count)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += llabs(w[i]); /* at most 2^22 taps of at most 2^30 */
    return sum;
}

static bool taps_fit(const int32_t *w, int64_t count, int64_t most)
{
    for (int64_t i = 0; i < count; i++)
        if (llabs(w[i]) > most)
            return false;
    return true;
}

/* Are the final taps within their bounds? H = 2^(q−1), 0 for q = 0. */
static bool bounds_hold(const int32_t *w, int64_t count, int32_t q, int64_t bias, swathe_type type)
{
    if (!taps_fit(w, count, tap_most(type)))
        return false;
    int64_t half = q > 0 ? (int64_t)1 << (q - 1) : 0;
    double total = (double)quantise_sum(w, count) * (double)quantise_sample_max(type) +
                   fabs((double)bias) + (double)half; /* u8: below 2^53, so exact near the limit */
    return type == SWATHE_U8 ? total < 0x1p31 : total < 0x1p62;
}

bool quantise_with(const double *k, int64_t count, int64_t anchor, double bias, swathe_type type,
                   int32_t q, int32_t *w, int64_t *scaled_bias)
{
    if (!quantise_scaled(bias, q, scaled_bias))
        return false;
    quantise_taps(k, count, anchor, q, w);
    return bounds_hold(w, count, q, *scaled_bias, type);
}

/* An upper limit of the fraction bits. With q bits, Σ|w| is at least Σ|k|·2^q minus ½ for the
 * rounding of each tap, and the same again for the anchor; each tap but the anchor is at least
 * |k|·2^q minus ½. If either exceeds its bound, larger q need not be tried, which saves rounding a
 * large mask for each of them. */
static int32_t bits_to_try(const double *k, int64_t count, int64_t anchor, swathe_type type)
{
    double sum = 0.0, largest = 0.0,
           most = (type == SWATHE_U8 ? 0x1p31 : 0x1p62) / (double)quantise_sample_max(type);
    int32_t bits = QUANTISE_BITS_USUAL;
    for (int64_t i = 0; i < count; i++) {
        sum += fabs(k[i]);
        if (fabs(k[i]) > largest && i != anchor)
            largest = fabs(k[i]);
    }
    sum *= 1.0 - 1e-6; /* far more than the rounding error of a sum of 2^22 numbers */
    while (bits > 0 && (ldexp(sum, bits) - (double)count - 2.0 > most ||
                        ldexp(largest, bits) - 1.0 > (double)tap_most(type)))
        bits--;
    return bits;
}

bool quantise_dense(const double *k, int64_t count, int64_t anchor, double bias, swathe_type type,
                    int32_t *w, int32_t *q, int64_t *scaled_bias)
{
    for (*q = bits_to_try(k, count, anchor, type); *q >= 0; --*q)
        if (quantise_with(k, count, anchor, bias, type, *q, w, scaled_bias))
            return true;
    return false;
}

bool quantise_pass(const double *k, int64_t count, double most, double bias, int32_t kept,
                   int32_t *w, int32_t *q)
{
    for (*q = QUANTISE_BITS_USUAL; *q >= 0; --*q) {
        double rest = ldexp(fabs(bias) + 0.5, *q + kept) + 1.0;
        quantise_taps(k, count, count / 2, *q, w);
        if (taps_fit(w, count, QUANTISE_U8_TAP_MAX) &&
            (double)quantise_sum(w, count) * most + rest < 0x1p31)
            return true;
    }
    return false;
}
