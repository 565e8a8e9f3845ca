#include "run/window.h"

#include "base/cancel.h"
#include "base/checked.h"
#include "base/os_thread.h"
#include "run/part.h"

void window_init(struct window *window)
{
    pthread_mutex_init(&window->mutex, NULL);
    os_condition_init(&window->changed);
}

void window_destroy(struct window *window)
{
    pthread_cond_destroy(&window->changed);
    pthread_mutex_destroy(&window->mutex);
}

/* The view of rows y..y+count-1, which do not cross the end of the buffer. */
static swathe_image rows_at(const struct window *window, int64_t y, int64_t count)
{
    swathe_image view = window->rows;
    view.data = (char *)view.data + y % window->capacity * view.row_stride;
    view.y = y;
    view.height = count;
    return view;
}

swathe_image window_row(const struct window *window, int64_t y)
{
    return rows_at(window, y, 1);
}

static bool window_stopped(const struct window *window)
{
    return atomic_load(window->stopped);
}

static bool window_empty(struct interval rows)
{
    return rows.first >= rows.last;
}

/* The lowest row that any worker holds or reads, or would if `rows` were admitted. */
static int64_t window_lowest(const struct window *window, struct interval rows)
{
    int64_t low = rows.first;
    for (int32_t w = 0; w < window->count; w++) {
        const struct window_worker *worker = &window->workers[w];
        if (!window_empty(worker->held))
            low = min64(low, worker->held.first);
        if (!window_empty(worker->reading))
            low = min64(low, worker->reading.first);
    }
    return low;
}

/* The rows that a cell that needs `rows` must read: up to the next whole step. */
static struct interval to_read(const struct window *window, struct interval rows)
{
    int64_t last = min64(next_multiple(rows.last, window->step), window->source->shape.height);
    return (struct interval){window->next_row, max64(window->next_row, last)};
}

static bool may_enter(const struct window *window, int64_t cell, struct interval rows)
{
    return window->admitted == cell &&
           to_read(window, rows).last - window_lowest(window, rows) <= window->capacity;
}

/* Is another worker reading rows from `first` up to `last`? */
static bool others_read(const struct window *window, int32_t worker, int64_t first, int64_t last)
{
    for (int32_t w = 0; w < window->count; w++) {
        struct interval reading = window->workers[w].reading;
        if (w != worker && max64(reading.first, first) < min64(reading.last, last))
            return true;
    }
    return false;
}

static void window_wait_for(struct window *window, int32_t worker, int64_t first, int64_t last)
{
    while (!window_stopped(window) && others_read(window, worker, first, last))
        cancel_wait_for(&window->changed, &window->mutex);
}

static swathe_status window_read_rows(const struct window *window, struct interval rows)
{
    int64_t count;
    for (int64_t y = rows.first; y < rows.last; y += count) {
        count = min64(window->capacity - y % window->capacity, rows.last - y);
        swathe_image into = rows_at(window, y, count);
        TRY(part_read(window->source, &into));
    }
    return SWATHE_OK;
}

/* Reads the rows that the worker has claimed. The mutex is held before and after, but not during
 * the read. After a failure the rows stay claimed, so no worker treats them as read. */
static swathe_status read_claim(struct window *window, int32_t worker)
{
    struct interval claim = window->workers[worker].reading;
    if (window_empty(claim))
        return SWATHE_OK;
    if (!(window->source->flags & SWATHE_CONCURRENT))
        window_wait_for(window, worker, 0, claim.first);
    if (window_stopped(window))
        return SWATHE_OK;
    pthread_mutex_unlock(&window->mutex);
    swathe_status status = window_read_rows(window, claim);
    pthread_mutex_lock(&window->mutex);
    if (status == SWATHE_OK)
        window->workers[worker].reading = (struct interval){0, 0};
    pthread_cond_broadcast(&window->changed);
    return status;
}

swathe_status window_enter(struct window *window, int32_t worker, int64_t cell,
                           struct interval rows)
{
    pthread_mutex_lock(&window->mutex);
    while (!window_stopped(window) && !may_enter(window, cell, rows))
        cancel_wait_for(&window->changed, &window->mutex);
    window->workers[worker].held = rows;
    window->workers[worker].reading = to_read(window, rows);
    window->next_row = window->workers[worker].reading.last;
    window->admitted++;
    pthread_cond_broadcast(&window->changed);
    swathe_status status = read_claim(window, worker);
    if (status == SWATHE_OK)
        window_wait_for(window, worker, rows.first, rows.last);
    pthread_mutex_unlock(&window->mutex);
    if (status == SWATHE_OK && window_stopped(window))
        return fail(SWATHE_ERROR_CANCELLED, "stopped");
    return status;
}

void window_leave(struct window *window, int32_t worker)
{
    pthread_mutex_lock(&window->mutex);
    window->workers[worker].held = (struct interval){0, 0};
    pthread_cond_broadcast(&window->changed);
    pthread_mutex_unlock(&window->mutex);
}

void window_wake(struct window *window)
{
    pthread_mutex_lock(&window->mutex);
    pthread_cond_broadcast(&window->changed);
    pthread_mutex_unlock(&window->mutex);
}
