/* Declarations shared by the files of a streaming run. */
#ifndef SWATHE_RUN_FLOW_H
#define SWATHE_RUN_FLOW_H

#include "run/outbox.h"
#include "run/run.h"
#include "run/window.h"

/* One worker's buffers. */
struct flow_worker {
    struct flow *flow;
    swathe_image chunk;   /* source rows of its cell; with a window, the row requested last */
    swathe_image far_row; /* one distant row that a border needs */
    uint8_t *chunk_data, *far_row_data, *result_data;
};

struct flow {
    struct run run;
    const swathe_source *source;
    const swathe_sink *sink;
    const struct file_parts *parts; /* of the sink; NULL: it has only `write` */
    bool windowed; /* rows are read through the window; otherwise each cell reads its own chunk */
    swathe_image all; /* whole source, if a border needs it; data NULL: not loaded */
    struct window window;
    bool has_window;
    struct outbox outbox;
    struct flow_worker *workers;
    uint8_t *buffers;
    pthread_mutex_t source_mutex;

    /* sizes, set by flow_choose */
    int64_t chunk_bytes, far_row_bytes, result_bytes, context_bytes;
    swathe_rect window_rect; /* its columns, and rows 0 up to its capacity */
};

/* Source rows and columns that a cell needs; without `near`, including distant ones that borders
 * need. */
struct interval flow_rows(const struct plan *plan, const swathe_rect *cell, bool near);
struct interval flow_columns(const struct plan *plan, const swathe_rect *cell);

/* Bytes of a pixel of an image. */
int64_t flow_pixel(const swathe_shape *shape);
/* Rows that the window reads at once: those of a tile, if the source prefers whole tiles. */
int64_t flow_step(const struct flow *flow);

/* Does the border of any stage need rows of the opposite edge? */
bool flow_wraps(const struct plan *plan);

/* Chooses cells, threads and buffers within the memory limit of the plan. */
swathe_status flow_choose(struct flow *flow);

#endif
