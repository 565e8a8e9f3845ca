/* Copies samples between views and the rows that stages process. */
#ifndef SWATHE_RUN_SAMPLES_H
#define SWATHE_RUN_SAMPLES_H

#include "image/view.h"

/* Copies columns first..last-1 of row y of a view to dense planes (step 1) or interleaved
 * pixels. */
void samples_gather(const swathe_image *view, int64_t y, int64_t first, int64_t last, int32_t step,
                    uint8_t *to, int64_t plane_stride);
/* Copies them back to a view. */
void samples_scatter(const uint8_t *from, int64_t plane_stride, int32_t step,
                     const swathe_image *view, int64_t y, int64_t first, int64_t last);

/* Can rows of this view be processed in place? */
bool samples_direct(const swathe_image *view, int32_t step);

/* Converts each sample to the nearest value of another type: clamped to its range, floats rounded
 * half up, NaN to 0. */
void samples_convert(const void *from, swathe_type from_type, void *to, swathe_type to_type,
                     int64_t count);

/* Writes `count` copies of a value. */
void samples_fill(void *to, swathe_type type, double value, int64_t count);

#endif
