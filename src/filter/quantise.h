/* Taps as integers, as the contract specifies (docs/numerics.md). */
#ifndef SWATHE_FILTER_QUANTISE_H
#define SWATHE_FILTER_QUANTISE_H

#include "base/status.h"
#include "image/sample.h"

#include <stdbool.h>

enum {
    QUANTISE_U8_TAP_MAX = 32639,         /* fits in two signed 8-bit digits */
    QUANTISE_16_TAP_MAX = (1 << 23) - 1, /* fits in three */
    QUANTISE_BITS_USUAL = 24,
    QUANTISE_BITS_MAX = 60 /* taps this small are far below every accuracy */
};

/* Largest |sample| of an integer type. */
int64_t quantise_sample_max(swathe_type type);

/* Sets w = round(k·2^q), and adds the remainder of their sum to the tap at the anchor. */
void quantise_taps(const double *k, int64_t count, int64_t anchor, int32_t q, int32_t *w);

/* Quantises a dense mask with q bits, and the bias as B = round(bias·2^q). False if a tap or the
 * sum of all would exceed its bound. */
bool quantise_with(const double *k, int64_t count, int64_t anchor, double bias, swathe_type type,
                   int32_t q, int32_t *w, int64_t *scaled_bias);
/* Does so with the largest q in 0..24 within these bounds; false if there is none. */
bool quantise_dense(const double *k, int64_t count, int64_t anchor, double bias, swathe_type type,
                    int32_t *w, int32_t *q, int64_t *scaled_bias);

/* Quantises a pass over numbers within ±most that have `kept` fraction bits, with the largest q up
 * to 24 whose taps fit u8 samples and whose sums, with the bias and its rounding, stay below 2^31.
 * The remainder is added to the middle tap. False if there is none. */
bool quantise_pass(const double *k, int64_t count, double most, double bias, int32_t kept,
                   int32_t *w, int32_t *q);

/* Computes round(value·2^bits), halves away from zero. Returns false if the magnitude would reach
 * 2^62. */
bool quantise_scaled(double value, int32_t bits, int64_t *scaled);

/* Σ|w| */
int64_t quantise_sum(const int32_t *w, int64_t count);

#endif
