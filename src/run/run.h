/* Runs a plan over a rectangle of its result, cell by cell, on several threads. */
#ifndef SWATHE_RUN_RUN_H
#define SWATHE_RUN_RUN_H

#include "base/pool.h"
#include "run/clamped.h"
#include "run/worker.h"

#include <pthread.h>
#include <stdatomic.h>

struct run;

/* Callbacks that provide the pixels of cells and receive their results. */
struct run_ends {
    /* Prepares a cell for worker w: its source rows, and a view for its result. */
    swathe_status (*begin)(struct run *run, int32_t w, int64_t cell, const swathe_rect *rect,
                           struct row_source *source, swathe_image *result);
    /* Called when the cell is complete. May be NULL. */
    swathe_status (*end)(struct run *run, int32_t w, int64_t cell, const swathe_rect *rect);
    /* Called after a failure: wakes waiting threads. May be NULL. */
    void (*stop)(struct run *run);
};

struct run {
    const struct memory *memory;
    struct pool *pool;
    const struct plan *plan;
    const swathe_run_options *options;
    const struct run_ends *ends;
    void *user; /* for the callbacks of `ends` */
    swathe_rect region;
    int64_t cell_width, cell_height;
    int64_t column_width; /* cells are numbered column by column of this width, and within a column
                             row by row; 0: the region is one column */
    int64_t span_columns; /* within a cell */
    int32_t threads;
    bool stream; /* the result may bypass the caches */

    /* set by run_execute */
    uint8_t *scratch;
    int64_t *widest, worker_bytes;
    atomic_llong next;
    atomic_bool stopped;
    pthread_mutex_t mutex;
    swathe_status status; /* the first failure and its text */
    struct failure failure;
    int64_t done;
    bool refused; /* by the caller's progress function */
    struct clamped clamped;
};

/* The requested number of threads, limited by those of the pool, because each needs memory. */
int32_t run_threads(const struct pool *pool, const struct plan *plan,
                    const swathe_run_options *options);
/* The rectangle of a cell, and the number of cells. */
swathe_rect run_cell(const struct run *run, int64_t cell);
int64_t run_cells(const struct run *run);
/* Cells side by side and below each other, and the rectangle of a cell by its position. */
int64_t run_across(const struct run *run);
int64_t run_down(const struct run *run);
swathe_rect run_cell_at(const struct run *run, int64_t across, int64_t down);
/* Computes the bytes of one worker's ring buffers for the spans of the run. */
swathe_status run_measure(struct run *run);

swathe_status run_execute(struct run *run);
/* The same by the reference algorithm, from a whole source to all or a part of the result. */
swathe_status run_reference(struct run *run, const swathe_image *source,
                            const swathe_image *result);

/* Largest scratch of one thread in bytes, for spans of the plan's width. */
int64_t run_scratch_bytes(const struct plan *plan);

/* Runs a plan over part of its result in memory, or between source and sink. */
swathe_status run_in_memory(const struct memory *memory, struct pool *pool, const struct plan *plan,
                            const swathe_image *source, const swathe_image *result,
                            const swathe_run_options *options);
swathe_status run_stream(const struct memory *memory, struct pool *pool, const struct plan *plan,
                         const swathe_source *source, const swathe_sink *sink,
                         const swathe_run_options *options);

swathe_status run_compare(const struct memory *memory, const swathe_source *a,
                          const swathe_source *b, swathe_difference *difference);

#endif
