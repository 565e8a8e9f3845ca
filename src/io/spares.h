/* A pool of objects that one thread at a time uses; the caller creates one if none is free. */
#ifndef SWATHE_IO_SPARES_H
#define SWATHE_IO_SPARES_H

#include <pthread.h>
#include <stdint.h>

/* The first member of each object. */
struct spare {
    struct spare *next;
};

struct spares {
    pthread_mutex_t mutex;
    pthread_cond_t returned;
    struct spare *free;
    int64_t count, most; /* existing objects, and their maximum */
};

void spares_init(struct spares *spares, int64_t most);
/* To be called after all objects were given back and spares_pop has emptied the list. */
void spares_destroy(struct spares *spares);

/* Returns a free object, or NULL: the caller must create one. Waits while the maximum is in use; a
 * thread that holds an object must not wait for another. */
struct spare *spares_take(struct spares *spares);
/* Gives back an object; NULL if it was destroyed or could not be created. */
void spares_give(struct spares *spares, struct spare *spare);
/* Removes a free object from the pool; NULL: none is free. */
struct spare *spares_pop(struct spares *spares);

#endif
