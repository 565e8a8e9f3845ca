/* One thread's way through a chain: a ring of input rows per stage, filled on demand.
 *
 * To make rows, a stage asks its ring for the input rows that its border maps name; a row that
 * is not there is made by the stage before, and so on up to the source. Marching down an image
 * makes every row once; at edges, and wherever a border brings rows from elsewhere, the same
 * question has the same answer, so no case is special. Rows are made in groups as high as the
 * algorithm of a stage likes them, if need be ahead of their use. */
#ifndef SWATHE_RUN_WORKER_H
#define SWATHE_RUN_WORKER_H

#include "run/ring.h"
#include "run/samples.h"

/* Where a worker finds the source's rows. */
struct row_source {
    void *user;
    /* A view that holds row y of the columns that the span needs; valid until the next call. */
    swathe_status (*row)(void *user, int64_t y, const swathe_image **view);
    bool stable; /* views stay valid for the whole span: rows need not be copied */
};

struct worker {
    const struct plan *plan;
    struct row_source source;
    struct ring *rings;
    struct interval span;     /* columns of the result */
    struct interval *columns; /* [i]: columns of stage i's input that are made; [count]: output */
    uint8_t *scratch, *spread, *converted;
    uint8_t **direct, **staged; /* rows of the result where it lies; in `converted` */
    int64_t plane_bytes;        /* of `spread` and `converted` */
    kernel *uncached;           /* for a result too large to be found in a cache later, or NULL */
};

/* Columns that each stage makes for a span of output columns; `columns` has count + 1 entries. */
void worker_columns(const struct plan *plan, struct interval span, struct interval *columns);

/* Bytes that a worker needs for spans of up to `widest` columns (per stage, count + 1 entries). */
int64_t worker_bytes(const struct plan *plan, const int64_t *widest);
/* Lays a worker out in that memory, which is 64-byte aligned. */
void worker_init(struct worker *worker, const struct plan *plan, const int64_t *widest,
                 uint8_t *memory);

/* Starts a span of the result: forgets all rows. */
void worker_begin(struct worker *worker, struct interval span, struct interval rows);
/* Makes rows of the result, columns of the span, in `result`, which holds them: from row y at
 * most up to `last`; `made` gets how many. */
swathe_status worker_rows(struct worker *worker, int64_t y, int64_t last,
                          const swathe_image *result, int64_t *made);

#endif
