/* Rows of a source, each read once and kept while a cell needs them. Cells are admitted in order. A
 * cell is admitted when its rows fit beside those of earlier cells, and it reads the rows that have
 * not been read yet. Several cells read at once if the source allows it. */
#ifndef SWATHE_RUN_WINDOW_H
#define SWATHE_RUN_WINDOW_H

#include "plan/interval.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The state of a worker; empty intervals: idle. */
struct window_worker {
    struct interval held;    /* rows that its cell needs */
    struct interval reading; /* rows that it is reading */
};

struct window {
    const swathe_source *source;
    swathe_image rows; /* ring buffer of `capacity` rows; row y is stored at y modulo capacity */
    int64_t capacity;
    int64_t step;     /* rows read at once; a capacity smaller than the image is a multiple of it */
    int64_t next_row; /* the first row that no thread has started to read */
    int64_t admitted; /* next cell to admit */
    struct window_worker *workers;
    int32_t count;
    const atomic_bool *stopped;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

/* To be called after all fields up to `stopped` were set. */
void window_init(struct window *window);
void window_destroy(struct window *window);

/* Waits for the cell's turn and for space, then until all `rows` have been read. */
swathe_status window_enter(struct window *window, int32_t worker, int64_t cell,
                           struct interval rows);
void window_leave(struct window *window, int32_t worker);
/* To be called after a failure: threads stop waiting. */
void window_wake(struct window *window);

/* A view of row y only. */
swathe_image window_row(const struct window *window, int64_t y);

#endif
