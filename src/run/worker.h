/* One thread's way through a chain: a ring of input rows per stage, filled on demand.
 *
 * To make a row, a stage asks its ring for the input rows that its border maps name; a row that
 * is not there is made by the stage before, and so on up to the source. Marching down an image
 * makes every row once; at edges, and wherever a border brings rows from elsewhere, the same
 * question has the same answer, so no case is special. */
#ifndef SWATHE_RUN_WORKER_H
#define SWATHE_RUN_WORKER_H

#include "plan/plan.h"
#include "run/samples.h"

/* Where a worker finds the source's rows. */
struct row_source {
    void *user;
    /* A view that holds row y of the columns that the block needs; valid until the next call. */
    swathe_status (*row)(void *user, int64_t y, const swathe_image **view);
    bool stable; /* views stay valid for the whole block: rows need not be copied */
};

struct ring {
    int64_t slots, plane_bytes;
    int64_t *row;         /* which input row a slot holds, or -1 */
    uint64_t *stamp;      /* last output row that used the slot */
    const uint8_t **data; /* its leftmost sample in reach */
    int64_t *plane_stride;
    uint8_t *memory, *outside; /* slots; a row of the border's value */
    int64_t *need;             /* slot per row of the window, or OUTSIDE */
    const uint8_t **pointers;  /* what the algorithm gets */
    struct interval reach;     /* columns that a slot holds, some outside the image */
    uint64_t clock;
};

struct worker {
    const struct plan *plan;
    struct row_source source;
    struct ring *rings;
    struct interval *columns; /* [i]: columns of stage i's input that are made; [count]: output */
    uint8_t *scratch, *spread, *converted;
    int64_t plane_bytes; /* of `spread` and `converted` */
};

/* Columns that each stage makes for a block of output columns; `columns` has count + 1 entries. */
void worker_columns(const struct plan *plan, struct interval block, struct interval *columns);

/* Bytes that a worker needs for blocks of up to `widest` columns (per stage, count + 1 entries). */
int64_t worker_bytes(const struct plan *plan, const int64_t *widest);
/* Lays a worker out in that memory, which is 64-byte aligned. */
void worker_init(struct worker *worker, const struct plan *plan, const int64_t *widest,
                 uint8_t *memory);

/* Starts a block: forgets all rows. */
void worker_begin(struct worker *worker, struct interval block);
/* Makes row y of the result, columns of the block, in `result`, which holds them. */
swathe_status worker_row(struct worker *worker, int64_t y, const swathe_image *result);

#endif
