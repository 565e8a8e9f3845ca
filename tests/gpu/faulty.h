/* Calls of a back end that fail on purpose: number `at`, or all from there on. */
#ifndef TESTS_GPU_FAULTY_H
#define TESTS_GPU_FAULTY_H

#include "gpu/device.h"

#include <stdatomic.h>

struct faulty {
    atomic_llong calls; /* so far */
    long long at;       /* 1: the first; 0: none */
    bool forever;
    /* What was made and not freed. */
    atomic_int devices, programs, buffers, hosts, queues;
    atomic_int early; /* buffers and host memory freed while a queue of the thread may use them */
};

extern struct faulty faulty;

/* Puts the calls in the place of the back end's; false where there is none of that name. */
bool faulty_install(const char *back_end);
/* Counts from nothing again. */
void faulty_reset(long long at, bool forever);
/* Is nothing left, and was nothing freed too early? */
bool faulty_clean(void);
/* Has a call failed since the reset? */
bool faulty_happened(void);

#endif
