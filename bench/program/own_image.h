/* An image of the user's to measure with, in place of random samples. */
#ifndef SWATHE_BENCH_OWN_IMAGE_H
#define SWATHE_BENCH_OWN_IMAGE_H

#include "swathe/swathe.h"

#include <stdbool.h>

/* Does the argument name a regular file, or look like an image's name? A chain that can be parsed
 * is a chain, whatever files there are. */
bool own_image_is(const char *argument);

/* What it holds. */
swathe_status own_image_shape(const char *path, swathe_shape *shape);

/* Decodes it into memory of that shape. `largest`: of its samples; 1 at least. */
swathe_status own_image_load(swathe_context *context, const char *path, const swathe_image *into,
                             double *largest);

#endif
