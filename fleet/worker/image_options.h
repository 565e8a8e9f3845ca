/* How the images of a set are read and written. */
#ifndef FLEET_WORKER_IMAGE_OPTIONS_H
#define FLEET_WORKER_IMAGE_OPTIONS_H

#include "worker/worker.h"

/* The smaller of two limits, of which 0 is none. */
static inline int64_t limit_least(int64_t a, int64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Limits of the set and of the worker; options that the format of `target` does not take are left
 * out, as 'swathe batch' does. */
void worker_image_options(struct worker *worker, const char *target, swathe_read_options *read,
                          swathe_write_options *write);

#endif
