#include "io/object_pool.h"

#include <stddef.h>

void object_pool_init(struct object_pool *pool, int64_t most)
{
    *pool = (struct object_pool){.most = most > 0 ? most : 1};
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->returned, NULL);
}

void object_pool_destroy(struct object_pool *pool)
{
    pthread_cond_destroy(&pool->returned);
    pthread_mutex_destroy(&pool->mutex);
}

/* The mutex is held. */
static struct pooled_object *unlink_first(struct object_pool *pool)
{
    struct pooled_object *first = pool->free;
    if (first)
        pool->free = first->next;
    return first;
}

struct pooled_object *object_pool_take(struct object_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    while (!pool->free && pool->count >= pool->most)
        pthread_cond_wait(&pool->returned, &pool->mutex);
    struct pooled_object *object = unlink_first(pool);
    pool->count += object ? 0 : 1;
    pthread_mutex_unlock(&pool->mutex);
    return object;
}

void object_pool_give(struct object_pool *pool, struct pooled_object *object)
{
    pthread_mutex_lock(&pool->mutex);
    if (object) {
        object->next = pool->free;
        pool->free = object;
    } else {
        pool->count--;
    }
    pthread_cond_signal(&pool->returned);
    pthread_mutex_unlock(&pool->mutex);
}

struct pooled_object *object_pool_pop(struct object_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    struct pooled_object *object = unlink_first(pool);
    pool->count -= object ? 1 : 0;
    pthread_mutex_unlock(&pool->mutex);
    return object;
}
