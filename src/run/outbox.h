/* The way of finished cells to a sink: on several threads as far as the sink allows, and in order
 * where it wants order. What is prepared early waits here, so that nobody waits for a turn. */
#ifndef SWATHE_RUN_OUTBOX_H
#define SWATHE_RUN_OUTBOX_H

#include "base/memory.h"
#include "base/status.h"
#include "io/file_parts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct outbox_slot {
    void *prepared;
    bool ready; /* to be delivered when its turn comes */
};

struct outbox {
    const struct memory *memory;
    const swathe_sink *sink;
    const struct file_parts *parts; /* NULL: the sink is only written */
    const atomic_bool *stopped;
    int64_t depth; /* cells that may be under way at once */
    int64_t turn;  /* next cell to deliver */
    bool delivering;
    struct outbox_slot *slots;
    /* The last rows of cells, which the part after them sees as its context: one place more than
     * cells under way, because the next one still reads it. */
    uint8_t *tails;
    int64_t tail_bytes;
    int64_t *tail_of; /* 1 + the cell whose rows a place holds */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

/* Cells under way at most, for so many threads. */
static inline int64_t outbox_depth(int32_t threads)
{
    return (int64_t)threads + 2;
}

/* All but outbox_destroy after this returned SWATHE_OK; `row_bytes` are of a row of the sink. */
swathe_status outbox_init(struct outbox *outbox, const struct memory *memory,
                          const swathe_sink *sink, const struct file_parts *parts, int32_t threads,
                          int64_t row_bytes, const atomic_bool *stopped);
void outbox_destroy(struct outbox *outbox);

/* Waits until a cell may start: not too far ahead of those before it. */
swathe_status outbox_enter(struct outbox *outbox, int64_t cell);
/* The cell is finished. Above the rows of `part` there is room for the sink's context. */
swathe_status outbox_put(struct outbox *outbox, int64_t cell, const swathe_image *part);
/* Somebody failed: those who wait give up. */
void outbox_wake(struct outbox *outbox);

#endif
