/* Things that one thread at a time uses: taken when needed, made when none is free. */
#ifndef SWATHE_IO_SPARES_H
#define SWATHE_IO_SPARES_H

#include <pthread.h>
#include <stdint.h>

/* The first member of each of them. */
struct spare {
    struct spare *next;
};

struct spares {
    pthread_mutex_t mutex;
    pthread_cond_t returned;
    struct spare *free;
    int64_t count, most; /* that exist, and that may */
};

void spares_init(struct spares *spares, int64_t most);
/* Only when all have been given back and spares_pop has emptied the list. */
void spares_destroy(struct spares *spares);

/* One that is free, or NULL: the caller is to make one. Waits while there are as many as there may
 * be and all are in use; whoever holds one must not wait for another. */
struct spare *spares_take(struct spares *spares);
/* Gives back what was taken or made; NULL: it is gone, or could not be made. */
void spares_give(struct spares *spares, struct spare *spare);
/* Takes one out for good; NULL: none is free. */
struct spare *spares_pop(struct spares *spares);

#endif
