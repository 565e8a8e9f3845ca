/* Handles of libcurl, each with its open connections. A handle serves one thread at a time and is
 * kept for the next request, whose connection then is open already. */
#ifndef STORE_S3_CONNECTIONS_H
#define STORE_S3_CONNECTIONS_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdbool.h>

struct connections {
    pthread_mutex_t lock;
    CURL **idle;
    int count, room;
};

bool store_connections_init(struct connections *connections);
void store_connections_close(struct connections *connections);
/* NULL if memory is short. */
CURL *store_connection_take(struct connections *connections);
void store_connection_give(struct connections *connections, CURL *handle);

#endif
