/* Test images in guarded memory, in any layout, filled from a seed. */
#ifndef TESTS_CANVAS_H
#define TESTS_CANVAS_H

#include "../../cli/rng.h"
#include "guarded.h"
#include "swathe/swathe.h"

#include <stdbool.h>

/* The memory layout of a view's samples. */
enum canvas_layout {
    CANVAS_DENSE,         /* interleaved, no gaps */
    CANVAS_PLANAR,        /* planes, no gaps */
    CANVAS_PADDED,        /* interleaved, gaps between pixels and rows */
    CANVAS_UPSIDE_DOWN,   /* interleaved, rows bottom to top */
    CANVAS_MIRRORED,      /* pixels right to left, channels reversed */
    CANVAS_PLANAR_PADDED, /* planes, gaps between rows */
    CANVAS_LAYOUTS
};

/* A view of `rect` of an image of this shape in `memory`; its last sample ends at the guard page.
 * Ends the test if it does not fit. */
swathe_image canvas_view(const struct guarded *memory, const swathe_shape *shape,
                         const swathe_rect *rect, enum canvas_layout layout);

/* Sets random samples, of one channel or (-1) of all, to a value. */
void canvas_holes(const swathe_image *image, uint64_t seed, int32_t channel, double value);
/* Random samples; floats are within ±1, or include every special value. */
void canvas_fill(const swathe_image *image, uint64_t seed, bool special);

/* Sets all bytes of the view, including those between its samples and some before it. */
void canvas_clear(const struct guarded *memory, const swathe_image *image, uint8_t byte);

/* True if the bytes that canvas_clear() set and that belong to no sample of the view are still
 * `byte`. Overwrites the samples. */
bool canvas_untouched(const struct guarded *memory, const swathe_image *image, uint8_t byte);

/* Copies the samples that both views contain; their types are equal. */
void canvas_copy(const swathe_image *from, const swathe_image *to);

/* A sample as a double. */
double canvas_get(const swathe_image *image, int64_t x, int64_t y, int32_t c);

#endif
