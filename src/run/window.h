/* Rows of a source, each read once and kept while some cell still needs them. Cells are admitted
 * in order; each is let in when its rows fit beside those of the cells before it, and reads those
 * that nobody has read yet: several at once where the source allows it. */
#ifndef SWATHE_RUN_WINDOW_H
#define SWATHE_RUN_WINDOW_H

#include "plan/interval.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* What a worker does; empty intervals: nothing. */
struct window_worker {
    struct interval held;    /* rows that its cell needs */
    struct interval reading; /* rows that it is reading */
};

struct window {
    const swathe_source *source;
    swathe_image rows; /* `capacity` rows; row y lies at y modulo capacity */
    int64_t capacity;
    int64_t step;     /* rows are read in whole steps; they divide a capacity that wraps round */
    int64_t next_row; /* nobody has begun to read */
    int64_t admitted; /* next cell to let in */
    struct window_worker *workers;
    int32_t count;
    const atomic_bool *stopped;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

/* The caller fills in all up to `stopped`, then calls this. */
void window_init(struct window *window);
void window_destroy(struct window *window);

/* Waits for the cell's turn and for room, then until all `rows` are there. */
swathe_status window_enter(struct window *window, int32_t worker, int64_t cell,
                           struct interval rows);
void window_leave(struct window *window, int32_t worker);
/* Somebody failed: waiting cells give up. */
void window_wake(struct window *window);

/* A view of row y alone. */
swathe_image window_row(const struct window *window, int64_t y);

#endif
