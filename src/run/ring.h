/* The input rows that a stage keeps: slots, each with one row from the leftmost column in reach,
 * border columns included. */
#ifndef SWATHE_RUN_RING_H
#define SWATHE_RUN_RING_H

#include "plan/plan.h"

struct ring {
    int64_t slots, plane_bytes;
    int64_t *row;         /* which input row a slot holds, or -1 */
    uint64_t *stamp;      /* last window that used the slot */
    const uint8_t **data; /* its leftmost sample in reach */
    int64_t *plane_stride;
    const uint8_t **borrowed;  /* the same row where the source has it, from `inside.first` */
    int64_t borrowed_stride;   /* from plane to plane there */
    uint8_t *memory, *outside; /* slots; a row of the border's value */
    int64_t *need;             /* slot per row of the window, or OUTSIDE */
    const uint8_t **pointers;  /* what the algorithm gets */
    int64_t *fresh;            /* slots that are being filled */
    uint8_t **into, **before;  /* where their rows go, and come from when they are converted */
    uint8_t **results;         /* rows of the stage's own output */
    struct kernel_drain *drains;
    struct interval reach;  /* columns that a slot holds, some outside the image */
    struct interval inside; /* those within it */
    bool borrows;           /* rows are borrowed … */
    int64_t edge;           /* … but for so many columns at either end of the span */
    int64_t last_row;       /* one past the last input row that the span needs */
    uint64_t clock;
};

/* The slot that holds input row y, or -1. */
int64_t ring_find(const struct ring *ring, int64_t y);
/* Takes a slot that the present window does not use for row y; there is one for every distinct
 * row of a window, and for those that are made ahead. */
int64_t ring_take(struct ring *ring, int64_t y);

/* A row that was made, and the slot that it goes to. */
struct ring_pad {
    const uint8_t *from; /* first plane of the row as it was made */
    int64_t from_stride, from_first;
    uint8_t *to;
    int64_t to_stride, to_first;
    int32_t planes, pixel_bytes;
};

/* Fills the columns in reach that lie outside the image. */
void ring_pad(const struct ring *ring, const struct op *op, const struct ring_pad *pad);

#endif
