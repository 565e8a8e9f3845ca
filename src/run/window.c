#include "run/window.h"

#include "base/checked.h"
#include "run/run.h"

void window_init(struct window *window, const swathe_source *source, const swathe_image *rows,
                 struct interval *held, int32_t workers, const atomic_bool *stopped)
{
    *window = (struct window){.source = source,
                              .rows = *rows,
                              .capacity = rows->height,
                              .held = held,
                              .workers = workers,
                              .stopped = stopped};
    pthread_mutex_init(&window->mutex, NULL);
    pthread_cond_init(&window->changed, NULL);
}

void window_destroy(struct window *window)
{
    pthread_cond_destroy(&window->changed);
    pthread_mutex_destroy(&window->mutex);
}

/* The view of rows y..y+count-1, which do not pass the end of the buffer. */
static swathe_image rows_at(const struct window *window, int64_t y, int64_t count)
{
    swathe_image view = window->rows;
    view.data = (char *)view.data + y % window->capacity * view.row_stride;
    view.y = y;
    view.height = count;
    view.full_width = window->source->shape.width;
    view.full_height = window->source->shape.height;
    return view;
}

swathe_image window_row(const struct window *window, int64_t y)
{
    return rows_at(window, y, 1);
}

/* The lowest row that anybody holds, or would if `rows` were let in. */
static int64_t lowest(const struct window *window, struct interval rows)
{
    int64_t low = rows.first;
    for (int32_t w = 0; w < window->workers; w++)
        if (window->held[w].first < window->held[w].last)
            low = min64(low, window->held[w].first);
    return low;
}

static swathe_status read_up_to(struct window *window, int64_t last)
{
    while (window->next_row < last) {
        int64_t room = window->capacity - window->next_row % window->capacity;
        int64_t count = min64(room, last - window->next_row);
        swathe_image into = rows_at(window, window->next_row, count);
        TRY(run_read(window->source, &into));
        window->next_row += count;
    }
    return SWATHE_OK;
}

swathe_status window_enter(struct window *window, int32_t worker, int64_t cell,
                           struct interval rows)
{
    swathe_status status = SWATHE_OK;
    pthread_mutex_lock(&window->mutex);
    while (!atomic_load(window->stopped) &&
           (window->admitted != cell || rows.last - lowest(window, rows) > window->capacity))
        pthread_cond_wait(&window->changed, &window->mutex);
    if (atomic_load(window->stopped)) {
        status = fail(SWATHE_ERROR_CANCELLED, "stopped");
    } else {
        window->held[worker] = rows;
        window->admitted++;
        status = read_up_to(window, rows.last);
    }
    pthread_cond_broadcast(&window->changed);
    pthread_mutex_unlock(&window->mutex);
    return status;
}

void window_leave(struct window *window, int32_t worker)
{
    pthread_mutex_lock(&window->mutex);
    window->held[worker] = (struct interval){0, 0};
    pthread_cond_broadcast(&window->changed);
    pthread_mutex_unlock(&window->mutex);
}

void window_wake(struct window *window)
{
    pthread_mutex_lock(&window->mutex);
    pthread_cond_broadcast(&window->changed);
    pthread_mutex_unlock(&window->mutex);
}
