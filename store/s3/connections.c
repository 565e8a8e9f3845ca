#include "s3/connections.h"

#include "store_memory.h"

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
