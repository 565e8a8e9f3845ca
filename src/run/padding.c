#include "run/worker.h"

#include "base/checked.h"

#include <string.h>

/* Writes columns first..last-1, all outside the image, one after another. */
static void padding_pad_columns(const struct op *op, const swathe_image *view, int64_t y,
                                struct interval columns, int32_t c, uint8_t *to)
{
    int32_t size = sample_size(op->in);
    for (int64_t x = columns.first; x < columns.last; x++, to += size) {
        int64_t mapped = border_index(&op->border, x, op->in_width);
        if (mapped == BORDER_OUTSIDE)
            samples_fill(to, op->in, op_outside(op, c), 1);
        else
            memcpy(to, view_at(view, mapped, y, c), (size_t)size);
    }
}

swathe_status padding_row(const struct op *op, const struct row_source *source, int64_t y,
                          struct interval columns, uint8_t *to, int64_t plane_stride)
{
    int32_t size = sample_size(op->in);
    int64_t row = border_index(&op->border, y, op->in_height);
    int64_t first = min64(max64(columns.first, 0), columns.last);
    int64_t last = max64(min64(columns.last, op->in_width), first);
    const swathe_image *view;
    if (row == BORDER_OUTSIDE) {
        for (int32_t c = 0; c < op->channels; c++)
            samples_fill(to + c * plane_stride, op->in, op_outside(op, c),
                         columns.last - columns.first);
        return SWATHE_OK;
    }
    TRY(source->row(source->user, row, &view));
    if (first < last)
        samples_gather(view, row, first, last, 1, to + (first - columns.first) * size,
                       plane_stride);
    for (int32_t c = 0; c < op->channels; c++) {
        uint8_t *plane = to + c * plane_stride;
        padding_pad_columns(op, view, row, (struct interval){columns.first, first}, c, plane);
        padding_pad_columns(op, view, row, (struct interval){last, columns.last}, c,
                            plane + (last - columns.first) * size);
    }
    return SWATHE_OK;
}
