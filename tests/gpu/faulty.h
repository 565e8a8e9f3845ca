/* Calls of a back end that fail on purpose: call number `at`, or all from there on. */
#ifndef TESTS_GPU_FAULTY_H
#define TESTS_GPU_FAULTY_H

#include "gpu/drivers/device.h"

#include <stdatomic.h>

struct faulty {
    atomic_llong calls; /* so far */
    long long at;       /* 1: the first; 0: none */
    bool forever;
    /* Objects created and not yet freed. */
    atomic_int devices, programs, buffers, hosts, queues;
    atomic_int early; /* buffers and host memory freed while a queue of the thread could still use
                       * them */
};

extern struct faulty faulty;

/* Replaces the back end's calls; false if there is no back end of that name. */
bool faulty_install(const char *back_end);
/* Starts counting from zero. */
void faulty_reset(long long at, bool forever);
/* True if every object was freed, and none too early. */
bool faulty_clean(void);
/* True if a call failed since the reset. */
bool faulty_happened(void);

#endif
