/* What the files of a streaming run share. */
#ifndef SWATHE_RUN_FLOW_H
#define SWATHE_RUN_FLOW_H

#include "run/outbox.h"
#include "run/run.h"
#include "run/window.h"

/* One worker's buffers. */
struct flow_worker {
    struct flow *flow;
    swathe_image chunk;   /* source rows of its cell; with a window, the row asked for last */
    swathe_image far_row; /* one row from elsewhere, which a border brought */
    uint8_t *chunk_data, *far_row_data, *result_data;
};

struct flow {
    struct run run;
    const swathe_source *source;
    const swathe_sink *sink;
    const struct file_parts *parts; /* of the sink; NULL: it is only written */
    bool windowed;    /* rows come through the window; else each cell reads its own chunk */
    swathe_image all; /* the whole source, where a border needs it and it fits; data NULL: no */
    struct window window;
    bool has_window;
    struct outbox outbox;
    struct flow_worker *workers;
    uint8_t *buffers;
    pthread_mutex_t source_mutex;

    /* sizes, by flow_choose */
    int64_t chunk_bytes, far_row_bytes, result_bytes, context_bytes;
    swathe_rect window_rect; /* its columns, and rows 0 up to its capacity */
};

/* Source rows and columns that a cell needs: near, or wherever borders bring them from. */
struct interval flow_rows(const struct plan *plan, const swathe_rect *cell, bool near);
struct interval flow_columns(const struct plan *plan, const swathe_rect *cell);

/* Bytes of a pixel of an image. */
int64_t flow_pixel(const swathe_shape *shape);
/* Rows that the window reads at once: those of a tile, where the source likes whole ones. */
int64_t flow_step(const struct flow *flow);

/* Does any stage bring rows from the far edge? */
bool flow_wraps(const struct plan *plan);

/* Cells, threads and buffers that keep within the plan's memory. */
swathe_status flow_choose(struct flow *flow);

#endif
