/* The input rows that a stage keeps: slots, each with one row from the leftmost column that the
 * mask reads, including border columns. */
#ifndef SWATHE_RUN_RING_H
#define SWATHE_RUN_RING_H

#include "plan/plan.h"

struct ring {
    int64_t slots, plane_bytes;
    int32_t planes, pixel_bytes; /* of a row */
    int64_t *row;                /* the input row in each slot; -1: none */
    struct interval in_order;    /* the last rows that were taken, one after the other */
    int64_t home;                /* the row after them, modulo slots */
    uint64_t *stamp;             /* last window that used the slot */
    const uint8_t **borrowed;    /* the same row in the source's memory, from `inside.first` */
    int64_t borrowed_stride;     /* bytes between its planes */
    int64_t borrowed_pitch;      /* bytes from a row to the next */
    const uint8_t *next;       /* in the source's memory: the row below the window; NULL: unknown */
    const uint8_t **ahead;     /* passed to the algorithm: the rows from `next` on */
    int64_t *mapped;           /* column that the border takes for each one outside the image */
    uint8_t *memory, *outside; /* slots; a row outside the image, or one for each plane */
    int64_t outside_stride;    /* bytes from plane to plane; 0: one row for all */
    int64_t *need;             /* slot of each row of the window, or OUTSIDE */
    const uint8_t **pointers;  /* passed to the algorithm */
    int64_t *fresh;            /* slots that are being filled */
    uint8_t **into, **before;  /* destination of their rows, and their memory before conversion */
    uint8_t **results;         /* rows of the stage's output */
    uint8_t *kept;             /* what tasks pass on to the tasks of the rows below */
    struct interval tasks;     /* rows of the last tasks, which followed each other */
    struct interval reach;     /* columns that a slot holds, some of them outside the image */
    struct interval inside;    /* those inside the image … */
    struct interval sides[2];  /* … on its left, and on its right */
    bool located;              /* `borrowed` stays valid, at least for prefetching */
    bool borrows;              /* rows are borrowed from the source … */
    int64_t edge;              /* … except for this number of columns at either end of the span */
    struct interval copied[2]; /* columns of a row in the source's memory that a slot gets */
    int64_t last_row;          /* one past the last input row that the span needs */
    uint64_t clock;
    bool displaced; /* a row may be in a slot other than its number modulo slots */
};

/* The slot that holds input row y, or -1. */
int64_t ring_find(const struct ring *ring, int64_t y);
/* Takes a slot for row y that the current window does not use. There are enough slots for every
 * distinct row of a window and for the rows computed ahead. */
int64_t ring_take(struct ring *ring, int64_t y);
/* Whether the rows of a window are the last ones of the ring, in order, and those below them. */
bool ring_continues(const struct ring *ring, struct interval window);

/* The slot of the next row. */
static inline int64_t ring_next_slot(const struct ring *ring, int64_t slot)
{
    return slot + 1 < ring->slots ? slot + 1 : 0;
}

/* The memory of a slot. */
static inline uint8_t *ring_slot(const struct ring *ring, int64_t slot)
{
    return ring->memory + slot * ring->planes * ring->plane_bytes;
}

/* Most columns outside the image that a ring may hold. */
int64_t ring_outside_most(const struct op *op);
/* Sets the columns of the ring, and asks the border for those outside the image. */
void ring_set_columns(struct ring *ring, const struct op *op, struct interval reach);

/* A computed row: column `first` of its planes. */
struct ring_row {
    const uint8_t *at;
    int64_t plane_stride, first;
};
/* Copies the border's pixels of a row to a slot. */
void ring_pad(const struct ring *ring, int64_t slot, const struct ring_row *row);

#endif
