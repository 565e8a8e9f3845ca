/* Image views: checks, addresses, parts. */
#ifndef SWATHE_IMAGE_VIEW_H
#define SWATHE_IMAGE_VIEW_H

#include "base/status.h"
#include "image/sample.h"

#include <stdbool.h>

/* Largest width or height, so that coordinates with any halo fit 62 bits. */
#define VIEW_EXTENT_MAX ((int64_t)1 << 40)
enum { VIEW_CHANNELS_MAX = 4096 };

/* Checks that sizes, type and channels are within bounds. */
swathe_status shape_check(const swathe_shape *shape);
/* Bytes of a dense image; fails if they do not fit 63 bits. */
swathe_status shape_bytes(const swathe_shape *shape, int64_t *bytes);

/* Checks that a view is usable: shape within bounds, strides and data aligned, addresses without
 * overflow. */
swathe_status view_check(const swathe_image *image, const char *what);
/* The same for a view that is written: no two of its samples share bytes. */
swathe_status view_check_result(const swathe_image *image, const char *what);
swathe_status view_init(const swathe_shape *shape, swathe_layout layout, void *data,
                        swathe_image *image);
swathe_status view_crop(const swathe_image *image, const swathe_rect *rect, swathe_image *tile);

/* The part of the full image that the view contains. */
static inline swathe_rect view_rect(const swathe_image *image)
{
    return (swathe_rect){image->x, image->y, image->width, image->height};
}

/* True for a region of zeros, which stands for the whole image. */
static inline bool rect_is_default(const swathe_rect *rect)
{
    return rect->x == 0 && rect->y == 0 && rect->width == 0 && rect->height == 0;
}

bool rect_contains(const swathe_rect *outer, const swathe_rect *inner);
/* True if samples of the two views may overlap. Separate halves of rows and separate channels of
 * pixels do not. */
bool view_overlap(const swathe_image *a, const swathe_image *b);

/* Address of a sample, by coordinates of the full image. */
static inline void *view_at(const swathe_image *image, int64_t x, int64_t y, int64_t channel)
{
    return (char *)image->data + (y - image->y) * image->row_stride +
           (x - image->x) * image->pixel_stride + channel * image->channel_stride;
}

/* The shape of the full image that the view belongs to. */
swathe_shape view_shape(const swathe_image *image);
/* Fails if a part of an image is not within it. */
swathe_status view_check_within(const swathe_shape *shape, const swathe_rect *part);

/* Copies `count` samples of `size` bytes with the given strides in bytes. */
void view_copy_samples(const void *from, int64_t from_stride, void *to, int64_t to_stride,
                       int64_t count, int32_t size);
/* Copies the samples at the position of `to` from `from`, which must contain them. The types must
 * be equal. */
void view_copy(const swathe_image *from, const swathe_image *to);

#endif
