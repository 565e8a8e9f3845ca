/* Work that a thread has done, in nanoseconds as predicted: so the caller is asked regularly
 * whether to go on, and told how much is done. */
#ifndef SWATHE_RUN_EFFORT_H
#define SWATHE_RUN_EFFORT_H

#include <stdbool.h>

struct effort {
    double spent;   /* on the cell */
    double next;    /* when the caller is asked again */
    double pending; /* of a long chunk that is being computed */
    double since;   /* when that began, s */
    double pace;    /* predicted by measured time of the last such chunk; 0: unknown */
    bool stopped;   /* the caller has cancelled, or another thread failed */
};

/* A chunk of work begins, and ends. */
void effort_begin(struct effort *effort, double ns);
void effort_end(struct effort *effort, double ns);

/* What is spent, with the estimated share of the chunk that is being computed. */
double effort_now(const struct effort *effort);

#endif
