/* Test images in guarded memory, in any layout, filled by seed. */
#ifndef TESTS_CANVAS_H
#define TESTS_CANVAS_H

#include "../../cli/rng.h"
#include "guarded.h"
#include "swathe/swathe.h"

#include <stdbool.h>

/* How a view's samples lie. */
enum canvas_layout {
    CANVAS_DENSE,         /* interleaved, no gaps */
    CANVAS_PLANAR,        /* planes, no gaps */
    CANVAS_PADDED,        /* interleaved, gaps between pixels and rows */
    CANVAS_UPSIDE_DOWN,   /* interleaved, rows from the bottom */
    CANVAS_MIRRORED,      /* pixels from the right, channels backwards */
    CANVAS_PLANAR_PADDED, /* planes, gaps between rows */
    CANVAS_LAYOUTS
};

/* A view of `rect` of an image of this shape in `memory`, its last sample next to the guard. Ends
 * the test where it does not fit. */
swathe_image canvas_view(const struct guarded *memory, const swathe_shape *shape,
                         const swathe_rect *rect, enum canvas_layout layout);

/* Random samples; floats stay within ±1, or include every special value. */
void canvas_fill(const swathe_image *image, uint64_t seed, bool special);

/* Sets the bytes of the view, between its samples and a little before it. */
void canvas_clear(const struct guarded *memory, const swathe_image *image, uint8_t byte);

/* Bytes that canvas_clear() set and no sample of the view owns are still
 * `byte`. Overwrites the samples. */
bool canvas_untouched(const struct guarded *memory, const swathe_image *image, uint8_t byte);

/* Copies samples between views of equal type where both hold them. */
void canvas_copy(const swathe_image *from, const swathe_image *to);

/* Sample as a double. */
double canvas_get(const swathe_image *image, int64_t x, int64_t y, int32_t c);

#endif
