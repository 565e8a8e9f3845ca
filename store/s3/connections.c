#include "basics.h"
#include "inner.h"
#include "s3/s3.h"

#include <errno.h>
#include <time.h>

enum { MOST_IDLE = 256 };

static pthread_once_t curl_once = PTHREAD_ONCE_INIT;

/* libcurl's global state is never freed: other parts of the program may use libcurl, too. */
static void init_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

bool store_connections_init(struct connections *connections)
{
    *connections = (struct connections){.count = 0};
    pthread_once(&curl_once, init_curl);
    return pthread_mutex_init(&connections->lock, NULL) == 0;
}

void store_connections_close(struct connections *connections)
{
    for (int i = 0; i < connections->count; i++)
        curl_easy_cleanup(connections->idle[i]);
    store_free(connections->idle);
    pthread_mutex_destroy(&connections->lock);
}

CURL *store_connection_take(struct connections *connections)
{
    CURL *handle = NULL;
    pthread_mutex_lock(&connections->lock);
    if (connections->count > 0)
        handle = connections->idle[--connections->count];
    pthread_mutex_unlock(&connections->lock);
    return handle ? handle : curl_easy_init();
}

/* The handle used last is taken first: its connection is the least likely to have timed out. */
void store_connection_give(struct connections *connections, CURL *handle)
{
    curl_easy_reset(handle); /* options only, not connections */
    pthread_mutex_lock(&connections->lock);
    if (connections->count == connections->room && connections->room < MOST_IDLE) {
        int room = connections->room > 0 ? 2 * connections->room : 8;
        CURL **idle = store_resize(connections->idle, (size_t)room, sizeof(CURL *));
        if (idle) {
            connections->idle = idle;
            connections->room = room;
        }
    }
    if (connections->count < connections->room) {
        connections->idle[connections->count++] = handle;
        handle = NULL;
    }
    pthread_mutex_unlock(&connections->lock);
    if (handle)
        curl_easy_cleanup(handle);
}

/* ---- Caps on requests and bytes per second -------------------------------------------------- */

int store_cancelled(const struct store *store)
{
    return store->options.cancelled && store->options.cancelled(store->options.user);
}

swathe_status store_sleep(const struct store *store, int64_t ms)
{
    int64_t end = store_clock_ms() + ms;
    for (;;) {
        if (store_cancelled(store))
            return store_fail_cancelled();
        int64_t left = end - store_clock_ms();
        if (left <= 0)
            return SWATHE_OK;
        if (left > 50) /* so that a cancellation is noticed soon */
            left = 50;
        struct timespec time = {0, (long)left * 1000000};
        nanosleep(&time, NULL);
    }
}

static double connections_later(double a, double b)
{
    return a > b ? a : b;
}

swathe_status store_pace_wait(struct store *store)
{
    double requests = store->options.requests, bytes = store->options.bytes;
    double now = (double)store_clock_ms(), start = now;
    if (requests <= 0 && bytes <= 0)
        return store_cancelled(store) ? store_fail_cancelled() : SWATHE_OK;
    pthread_mutex_lock(&store->lock);
    if (bytes > 0)
        start = connections_later(start, store->pace.next_bytes);
    if (requests > 0) {
        start = connections_later(start, store->pace.next_request);
        store->pace.next_request = start + 1000 / requests;
    }
    pthread_mutex_unlock(&store->lock);
    return store_sleep(store, (int64_t)(start - now));
}

void store_pace_bytes(struct store *store, int64_t bytes)
{
    if (store->options.bytes <= 0)
        return;
    pthread_mutex_lock(&store->lock);
    store->pace.next_bytes = connections_later(store->pace.next_bytes, (double)store_clock_ms()) +
                             1000 * (double)bytes / store->options.bytes;
    pthread_mutex_unlock(&store->lock);
}
