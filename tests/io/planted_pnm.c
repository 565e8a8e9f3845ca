/* The PNM reader with a wrong row stride: rows are one sample too close. The round trip must find
 * it. */
#include "image/view.h"

static void *planted_at(const swathe_image *image, int64_t x, int64_t y, int64_t channel)
{
    swathe_image wrong = *image;
    wrong.row_stride -= wrong.row_stride > 0 ? sample_size(image->type) : -sample_size(image->type);
    return view_at(&wrong, x, y, channel);
}

#define view_at planted_at
#include "io/raw/pnm_read.c"
