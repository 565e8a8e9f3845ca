/* Rows of views that a codec can read or write in place. */
#ifndef SWATHE_IO_ROWS_IN_PLACE_H
#define SWATHE_IO_ROWS_IN_PLACE_H

#include "image/sample.h"

/* True if the samples of a row are interleaved pixels without gaps. */
static inline bool rows_dense(const swathe_image *image)
{
    int64_t size = sample_size(image->type);
    return image->channel_stride == size && image->pixel_stride == size * image->channels;
}

#endif
