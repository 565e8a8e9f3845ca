/* Taps as integers, as the contract specifies (docs/numerics.md). */
#ifndef SWATHE_FILTER_QUANTISE_H
#define SWATHE_FILTER_QUANTISE_H

#include "base/status.h"
#include "image/sample.h"

#include <stdbool.h>

enum {
    QUANTISE_U8_TAP_MAX = 32639,         /* fits in two signed 8-bit digits */
    QUANTISE_16_TAP_MAX = (1 << 23) - 1, /* fits in three */
    QUANTISE_BITS_MAX = 24,
    QUANTISE_16_PASS_BITS = 18, /* q of each pass over 16-bit samples */
    QUANTISE_U8_MIDDLE_BITS = 7 /* fraction bits between the passes over u8 */
};

/* Largest |sample| of an integer type. */
int64_t quantise_sample_max(swathe_type type);

/* Sets w = round(k·2^q), and adds the remainder of their sum to the tap at the anchor. */
void quantise_taps(const double *k, int64_t count, int64_t anchor, int32_t q, int32_t *w);

/* Quantises a dense mask with the largest q in 0..24 whose bounds hold. Returns the bias as B =
 * round(bias·2^q). */
swathe_status quantise_dense(const double *k, int64_t count, int64_t anchor, double bias,
                             swathe_type type, int32_t *w, int32_t *q, int64_t *scaled_bias);

/* Quantises one pass of a two-pass filter. */
void quantise_pass(const double *k, int64_t count, int64_t anchor, swathe_type type, int32_t *w,
                   int32_t *q);

/* Computes round(value·2^bits), halves away from zero. Returns false if the magnitude would reach
 * 2^62. */
bool quantise_scaled(double value, int32_t bits, int64_t *scaled);

#endif
