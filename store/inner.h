/* The store's own state, shared by its files. */
#ifndef STORE_INNER_H
#define STORE_INNER_H

#include "s3/connections.h"
#include "s3/credentials.h"
#include "store.h"

#include <pthread.h>
#include <stdatomic.h>

/* A cap per second: the time, in milliseconds of store_clock_ms, at which the next may start. */
struct store_pace {
    double next_request, next_bytes;
};

struct store {
    struct store_options options; /* defaults filled in */
    struct connections connections;
    pthread_mutex_t lock;            /* of the fields up to the counts */
    struct credentials *credentials; /* NULL before the first use of S3 */
    struct store_pace pace;
    atomic_int_fast64_t requests, retries, bytes_read, bytes_written;
};

int store_cancelled(const struct store *store);
/* Sleeps; fails if the caller cancels meanwhile. */
swathe_status store_sleep(const struct store *store, int64_t ms);
/* Waits until the caps allow a request. */
swathe_status store_pace_wait(struct store *store);
/* Charges bytes that were moved. */
void store_pace_bytes(struct store *store, int64_t bytes);

#endif
