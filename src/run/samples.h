/* Moving samples between views and the rows that stages work on. */
#ifndef SWATHE_RUN_SAMPLES_H
#define SWATHE_RUN_SAMPLES_H

#include "image/view.h"

/* Columns first..last-1 of row y of a view, as dense planes (step 1) or interleaved pixels. */
void samples_gather(const swathe_image *view, int64_t y, int64_t first, int64_t last, int32_t step,
                    uint8_t *to, int64_t plane_stride);
/* The reverse. */
void samples_scatter(const uint8_t *from, int64_t plane_stride, int32_t step,
                     const swathe_image *view, int64_t y, int64_t first, int64_t last);

/* Can rows of this view be worked on where they are? */
bool samples_direct(const swathe_image *view, int32_t step);

/* Each sample as the nearest of another type: clamped to its range, floats rounded half up, NaN
 * as 0. */
void samples_convert(const void *from, swathe_type from_type, void *to, swathe_type to_type,
                     int64_t count);

/* `count` copies of a pixel's sample value. */
void samples_fill(void *to, swathe_type type, double value, int64_t count);

#endif
