#include "io/spares.h"

#include <stddef.h>

void spares_init(struct spares *spares, int64_t most)
{
    *spares = (struct spares){.most = most > 0 ? most : 1};
    pthread_mutex_init(&spares->mutex, NULL);
    pthread_cond_init(&spares->returned, NULL);
}

void spares_destroy(struct spares *spares)
{
    pthread_cond_destroy(&spares->returned);
    pthread_mutex_destroy(&spares->mutex);
}

/* The mutex is held. */
static struct spare *unlink_first(struct spares *spares)
{
    struct spare *first = spares->free;
    if (first)
        spares->free = first->next;
    return first;
}

struct spare *spares_take(struct spares *spares)
{
    pthread_mutex_lock(&spares->mutex);
    while (!spares->free && spares->count >= spares->most)
        pthread_cond_wait(&spares->returned, &spares->mutex);
    struct spare *spare = unlink_first(spares);
    spares->count += spare ? 0 : 1;
    pthread_mutex_unlock(&spares->mutex);
    return spare;
}

void spares_give(struct spares *spares, struct spare *spare)
{
    pthread_mutex_lock(&spares->mutex);
    if (spare) {
        spare->next = spares->free;
        spares->free = spare;
    } else {
        spares->count--;
    }
    pthread_cond_signal(&spares->returned);
    pthread_mutex_unlock(&spares->mutex);
}

struct spare *spares_pop(struct spares *spares)
{
    pthread_mutex_lock(&spares->mutex);
    struct spare *spare = unlink_first(spares);
    spares->count -= spare ? 1 : 0;
    pthread_mutex_unlock(&spares->mutex);
    return spare;
}
