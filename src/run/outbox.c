#include "run/outbox.h"

#include "base/cancel.h"
#include "base/checked.h"
#include "base/os_thread.h"
#include "run/part.h"

#include <string.h>

swathe_status outbox_init(struct outbox *outbox, const struct memory *memory,
                          const swathe_sink *sink, const struct file_parts *parts, int32_t threads,
                          int64_t row_bytes, const atomic_bool *stopped)
{
    *outbox = (struct outbox){.memory = memory,
                              .sink = sink,
                              .parts = parts,
                              .stopped = stopped,
                              .depth = outbox_depth(threads),
                              .tail_bytes = parts ? size_mul(parts->context_rows, row_bytes) : 0};
    pthread_mutex_init(&outbox->mutex, NULL);
    os_condition_init(&outbox->changed);
    TRY(memory_new(memory, outbox->depth, sizeof *outbox->slots, "a run", &outbox->slots));
    TRY(memory_new(memory, outbox->depth + 1, sizeof *outbox->tail_of, "a run", &outbox->tail_of));
    return memory_new_raw(memory, outbox->depth + 1, outbox->tail_bytes, "rows", &outbox->tails);
}

void outbox_destroy(struct outbox *outbox)
{
    if (!outbox->memory)
        return;
    for (int64_t i = 0; outbox->slots && i < outbox->depth; i++)
        if (outbox->slots[i].ready)
            outbox->parts->deliver(outbox->sink->user, outbox->slots[i].prepared, false);
    memory_free(outbox->memory, outbox->tails);
    memory_free(outbox->memory, outbox->tail_of);
    memory_free(outbox->memory, outbox->slots);
    pthread_cond_destroy(&outbox->changed);
    pthread_mutex_destroy(&outbox->mutex);
}

void outbox_wake(struct outbox *outbox)
{
    pthread_mutex_lock(&outbox->mutex);
    pthread_cond_broadcast(&outbox->changed);
    pthread_mutex_unlock(&outbox->mutex);
}

static bool outbox_stopped(const struct outbox *outbox)
{
    return atomic_load(outbox->stopped);
}

static swathe_status outbox_give_up(void)
{
    return fail(SWATHE_ERROR_CANCELLED, "stopped");
}

swathe_status outbox_enter(struct outbox *outbox, int64_t cell)
{
    if (!outbox->parts)
        return SWATHE_OK;
    pthread_mutex_lock(&outbox->mutex);
    while (!outbox_stopped(outbox) && cell >= outbox->turn + outbox->depth)
        cancel_wait_for(&outbox->changed, &outbox->mutex);
    pthread_mutex_unlock(&outbox->mutex);
    return outbox_stopped(outbox) ? outbox_give_up() : SWATHE_OK;
}

/* ---- Sinks that are only written ------------------------------------------------------------ */

static swathe_status outbox_write_plain(struct outbox *outbox, int64_t cell,
                                        const swathe_image *part)
{
    const swathe_sink *sink = outbox->sink;
    bool forward = (sink->flags & SWATHE_FORWARD) != 0;
    if ((sink->flags & SWATHE_CONCURRENT) && !forward)
        return part_write(sink, part);
    pthread_mutex_lock(&outbox->mutex);
    while (forward && outbox->turn != cell && !outbox_stopped(outbox))
        cancel_wait_for(&outbox->changed, &outbox->mutex);
    swathe_status status = outbox_stopped(outbox) ? outbox_give_up() : part_write(sink, part);
    outbox->turn += status == SWATHE_OK; /* nothing is written after a failure */
    pthread_cond_broadcast(&outbox->changed);
    pthread_mutex_unlock(&outbox->mutex);
    return status;
}

/* ---- Sinks that prepare and deliver --------------------------------------------------------- */

static uint8_t *tail_at(const struct outbox *outbox, int64_t cell)
{
    return outbox->tails + cell % (outbox->depth + 1) * outbox->tail_bytes;
}

/* Saves the last rows for the next cell, and fetches those of the previous cell. */
static swathe_status exchange_tails(struct outbox *outbox, int64_t cell, const swathe_image *part)
{
    int64_t place = cell % (outbox->depth + 1), before = (cell - 1) % (outbox->depth + 1);
    int64_t rows = outbox->parts->context_rows, bytes = part->height * part->row_stride;
    if (part->height >= rows) /* otherwise it is the last cell */
        memcpy(tail_at(outbox, cell), (char *)part->data + bytes - outbox->tail_bytes,
               (size_t)outbox->tail_bytes);
    pthread_mutex_lock(&outbox->mutex);
    outbox->tail_of[place] = cell + 1;
    pthread_cond_broadcast(&outbox->changed);
    while (cell > 0 && outbox->tail_of[before] != cell && !outbox_stopped(outbox))
        cancel_wait_for(&outbox->changed, &outbox->mutex);
    pthread_mutex_unlock(&outbox->mutex);
    if (outbox_stopped(outbox))
        return outbox_give_up();
    if (cell > 0)
        memcpy((char *)part->data - outbox->tail_bytes, tail_at(outbox, cell - 1),
               (size_t)outbox->tail_bytes);
    return SWATHE_OK;
}

/* Delivers the parts that are ready and next, unless another thread is delivering. The mutex is
 * held. */
static swathe_status deliver_ready(struct outbox *outbox)
{
    swathe_status status = SWATHE_OK;
    while (status == SWATHE_OK && !outbox->delivering && !outbox_stopped(outbox)) {
        struct outbox_slot *slot = &outbox->slots[outbox->turn % outbox->depth];
        if (!slot->ready)
            break;
        slot->ready = false;
        outbox->delivering = true;
        pthread_mutex_unlock(&outbox->mutex);
        status = outbox->parts->deliver(outbox->sink->user, slot->prepared, true);
        pthread_mutex_lock(&outbox->mutex);
        outbox->delivering = status != SWATHE_OK; /* nothing is delivered after a failure */
        outbox->turn++;
        pthread_cond_broadcast(&outbox->changed);
    }
    return status;
}

static swathe_status put_prepared(struct outbox *outbox, int64_t cell, const swathe_image *part)
{
    const struct file_parts *parts = outbox->parts;
    int64_t above = min64(parts->context_rows, part->y);
    swathe_image from = *part;
    void *prepared;
    if (parts->context_rows > 0)
        TRY(exchange_tails(outbox, cell, part));
    from.data = (char *)from.data - above * from.row_stride;
    from.y -= above;
    from.height += above;
    TRY(parts->prepare(outbox->sink->user, &from, above, &prepared));
    pthread_mutex_lock(&outbox->mutex);
    outbox->slots[cell % outbox->depth] = (struct outbox_slot){prepared, true};
    swathe_status status = deliver_ready(outbox);
    pthread_mutex_unlock(&outbox->mutex);
    return status;
}

swathe_status outbox_put(struct outbox *outbox, int64_t cell, const swathe_image *part)
{
    return outbox->parts ? put_prepared(outbox, cell, part)
                         : outbox_write_plain(outbox, cell, part);
}
