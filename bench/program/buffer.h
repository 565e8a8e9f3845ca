/* The memory of an image, in pages of its own. */
#ifndef SWATHE_BENCH_BUFFER_H
#define SWATHE_BENCH_BUFFER_H

#include "swathe/swathe.h"

#include <stdbool.h>

struct buffer {
    void *data;
    int64_t bytes;
    swathe_shape shape;
    swathe_layout layout;
    swathe_image view;
};

/* Zeros without gaps between rows. The pages are not mapped until they are written. */
swathe_status buffer_new(const swathe_shape *shape, swathe_layout layout, bool huge,
                         struct buffer *buffer);
/* A buffer of the same shape and layout. */
swathe_status buffer_like(const struct buffer *other, bool huge, struct buffer *buffer);
void buffer_free(struct buffer *buffer);

/* Random samples: all values of u8 and u16, 0 to 255 of s16, 0 to 1 of f32. */
void buffer_fill(struct buffer *buffer, uint64_t seed);

/* Fills it with garbage, which also touches every page. */
void buffer_garble(struct buffer *buffer);

uint64_t buffer_checksum(const struct buffer *buffer);

#endif
