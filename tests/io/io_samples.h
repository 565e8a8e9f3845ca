/* Small files of kinds that our writers do not produce, and metadata for write tests. */
#ifndef SWATHE_TESTS_IO_SAMPLES_H
#define SWATHE_TESTS_IO_SAMPLES_H

#include "base/status.h"

struct io_sample {
    const char *name;
    const void *bytes;
    size_t size;
};

/* Ends with a NULL name. The first is an interlaced PNG, 5 x 5, grey, (x, y) is 3x + 16y. */
extern const struct io_sample io_samples[];

/* An ICC profile for grey or RGB, an EXIF block, an XMP packet, and 11811 x 5906 pixels per
 * metre. */
swathe_metadata io_sample_metadata(int32_t channels);

#endif
