/* Rows of a source that can only be read forward, kept while some cell still needs them. Cells are
 * admitted in order; each is let in when its rows fit beside those of the cells before it. */
#ifndef SWATHE_RUN_WINDOW_H
#define SWATHE_RUN_WINDOW_H

#include "plan/interval.h"

#include <pthread.h>
#include <stdatomic.h>

struct window {
    const swathe_source *source;
    swathe_image rows; /* `capacity` full-width rows; row y lies at y modulo capacity */
    int64_t capacity, next_row;
    int64_t admitted;      /* next cell to let in */
    struct interval *held; /* rows per worker; empty: none */
    int32_t workers;
    const atomic_bool *stopped;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

void window_init(struct window *window, const swathe_source *source, const swathe_image *rows,
                 struct interval *held, int32_t workers, const atomic_bool *stopped);
void window_destroy(struct window *window);

/* Waits for the cell's turn and for room, then reads up to `rows`. */
swathe_status window_enter(struct window *window, int32_t worker, int64_t cell,
                           struct interval rows);
void window_leave(struct window *window, int32_t worker);
/* Somebody failed: waiting cells give up. */
void window_wake(struct window *window);

/* A view of row y alone. */
swathe_image window_row(const struct window *window, int64_t y);

#endif
