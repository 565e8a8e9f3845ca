/* A pool of objects that one thread at a time uses; the caller creates one if none is free. */
#ifndef SWATHE_IO_OBJECT_POOL_H
#define SWATHE_IO_OBJECT_POOL_H

#include <pthread.h>
#include <stdint.h>

/* The first member of each object. */
struct pooled_object {
    struct pooled_object *next;
};

struct object_pool {
    pthread_mutex_t mutex;
    pthread_cond_t returned;
    struct pooled_object *free;
    int64_t count, most; /* existing objects, and their maximum */
};

void object_pool_init(struct object_pool *pool, int64_t most);
/* To be called after all objects were given back and object_pool_pop has emptied the list. */
void object_pool_destroy(struct object_pool *pool);

/* Returns a free object, or NULL: the caller must create one. Waits while the maximum is in use; a
 * thread that holds an object must not wait for another. */
struct pooled_object *object_pool_take(struct object_pool *pool);
/* Gives back an object; NULL if it was destroyed or could not be created. */
void object_pool_give(struct object_pool *pool, struct pooled_object *object);
/* Removes a free object from the pool; NULL: none is free. */
struct pooled_object *object_pool_pop(struct object_pool *pool);

#endif
