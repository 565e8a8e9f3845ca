/* Caps on requests and bytes per second. */
#include "inner.h"
#include "s3/exchange.h"
#include "store_failure.h"

#include <errno.h>
#include <time.h>

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

static double later(double a, double b)
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
        start = later(start, store->pace.next_bytes);
    if (requests > 0) {
        start = later(start, store->pace.next_request);
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
    store->pace.next_bytes = later(store->pace.next_bytes, (double)store_clock_ms()) +
                             1000 * (double)bytes / store->options.bytes;
    pthread_mutex_unlock(&store->lock);
}
