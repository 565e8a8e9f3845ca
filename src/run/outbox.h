/* Passes finished cells to a sink: on several threads as far as the sink allows, and in order if it
 * requires order. Parts prepared early are kept here, so that no thread waits for its turn. */
#ifndef SWATHE_RUN_OUTBOX_H
#define SWATHE_RUN_OUTBOX_H

#include "base/memory.h"
#include "base/status.h"
#include "io/source_sink.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct outbox_slot {
    void *prepared;
    bool ready; /* prepared, waits for delivery */
};

struct outbox {
    const struct memory *memory;
    const swathe_sink *sink;
    const struct file_parts *parts; /* NULL: the sink has only `write` */
    const atomic_bool *stopped;
    int64_t depth; /* limit of cells in progress */
    int64_t turn;  /* next cell to deliver */
    bool delivering;
    struct outbox_slot *slots;
    /* The last rows of cells, which the following part needs as its context. There is one entry
     * more than cells in progress, because the next cell may still read it. */
    uint8_t *tails;
    int64_t tail_bytes;
    int64_t *tail_of; /* 1 + the cell whose rows an entry holds */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

/* Limit of cells in progress, for this number of threads. */
static inline int64_t outbox_depth(int32_t threads)
{
    return (int64_t)threads + 2;
}

/* Only outbox_destroy may be called if this fails; `row_bytes`: of a row of the sink. */
swathe_status outbox_init(struct outbox *outbox, const struct memory *memory,
                          const swathe_sink *sink, const struct file_parts *parts, int32_t threads,
                          int64_t row_bytes, const atomic_bool *stopped);
void outbox_destroy(struct outbox *outbox);

/* Waits until a cell may start: at most `depth` cells are in progress. */
swathe_status outbox_enter(struct outbox *outbox, int64_t cell);
/* Accepts a finished cell. Above the rows of `part` there is space for the sink's context. */
swathe_status outbox_put(struct outbox *outbox, int64_t cell, const swathe_image *part);
/* To be called after a failure: threads stop waiting. */
void outbox_wake(struct outbox *outbox);

#endif
