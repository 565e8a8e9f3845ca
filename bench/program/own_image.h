/* An image file to measure instead of random samples. */
#ifndef SWATHE_BENCH_OWN_IMAGE_H
#define SWATHE_BENCH_OWN_IMAGE_H

#include "swathe/swathe.h"

#include <stdbool.h>

/* True if the argument names a regular file or looks like the name of an image. An argument that
 * parses as a chain is a chain, even if there is a file of that name. */
bool own_image_is(const char *argument);

/* Reads its size, type and channels. */
swathe_status own_image_shape(const char *path, swathe_shape *shape);

/* Decodes it into an image of that shape. `largest` is the largest float sample, at least 1. */
swathe_status own_image_load(swathe_context *context, const char *path, const swathe_image *into,
                             double *largest);

#endif
