/* The curves of an ICC profile. */
#ifndef SWATHE_IO_METADATA_ICC_H
#define SWATHE_IO_METADATA_ICC_H

#include "base/memory.h"

enum { ICC_BYTES_MAX = 4 << 20 };

/* `count` tables of `size` values; count = 0: sRGB's curve. */
struct icc_curves {
    int32_t count, size;
    double *values; /* memory_free */
};

/* Reads the curves of a profile of RGB or grey that has nothing else to convert samples to light,
 * apart from a matrix. */
swathe_status icc_read(const struct memory *memory, const void *profile, size_t size,
                       struct icc_curves *curves);

#endif
