/* What the files of a streaming run share. */
#ifndef SWATHE_RUN_FLOW_H
#define SWATHE_RUN_FLOW_H

#include "run/run.h"
#include "run/window.h"

/* One worker's buffers. */
struct flow_worker {
    struct flow *flow;
    swathe_image chunk;  /* source rows of its cell; with a window, the row asked for last */
    swathe_image island; /* one row from elsewhere, which a border brought */
    uint8_t *chunk_data, *island_data, *result_data;
};

struct flow {
    struct run run;
    const swathe_source *source;
    const swathe_sink *sink;
    bool forward;     /* rows come through the window */
    swathe_image all; /* the whole source, where a border needs it and it fits; data NULL: no */
    struct window window;
    bool has_window;
    struct flow_worker *workers;
    uint8_t *buffers;
    struct interval *held;
    pthread_mutex_t source_mutex, sink_mutex;
    pthread_cond_t turned;
    int64_t turn; /* next cell for a sink that takes them in order */

    /* sizes, by flow_choose */
    int64_t chunk_bytes, island_bytes, result_bytes, window_rows;
};

/* Source rows and columns that a cell needs: near, or wherever borders bring them from. */
struct interval flow_rows(const struct plan *plan, const swathe_rect *cell, bool near);
struct interval flow_columns(const struct plan *plan, const swathe_rect *cell);

/* Does any stage bring rows from the far edge? */
bool flow_wraps(const struct plan *plan);

/* Cells, threads and buffers that keep within the plan's memory. */
swathe_status flow_choose(struct flow *flow);

#endif
