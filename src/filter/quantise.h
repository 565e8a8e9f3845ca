/* Taps as integers, by the contract (docs/numerics.md). */
#ifndef SWATHE_FILTER_QUANTISE_H
#define SWATHE_FILTER_QUANTISE_H

#include "base/status.h"
#include "image/sample.h"

#include <stdbool.h>

enum {
    QUANTISE_U8_TAP_MAX = 32639,         /* two signed 8-bit pieces */
    QUANTISE_16_TAP_MAX = (1 << 23) - 1, /* three */
    QUANTISE_BITS_MAX = 24,
    QUANTISE_16_PASS_BITS = 18, /* q of each pass over 16-bit samples */
    QUANTISE_U8_MIDDLE_BITS = 7 /* fraction bits between the passes over u8 */
};

/* Largest |sample| of an integer type. */
int64_t quantise_sample_max(swathe_type type);

/* w = round(k·2^q), then the remainder to the anchor's tap. */
void quantise_taps(const double *k, int64_t count, int64_t anchor, int32_t q, int32_t *w);

/* A dense mask: the largest q in 0..24 whose bounds hold. `bias` leaves as B = round(bias·2^q). */
swathe_status quantise_dense(const double *k, int64_t count, int64_t anchor, double bias,
                             swathe_type type, int32_t *w, int32_t *q, int64_t *scaled_bias);

/* One direction of a two-pass filter. */
void quantise_pass(const double *k, int64_t count, int64_t anchor, swathe_type type, int32_t *w,
                   int32_t *q);

/* round(value·2^bits), halves away from zero; false when |it| would reach 2^62. */
bool quantise_scaled(double value, int32_t bits, int64_t *scaled);

#endif
