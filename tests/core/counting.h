/* A counting allocator that fails on purpose: allocation number `at`, or all from there on. */
#ifndef TESTS_COUNTING_H
#define TESTS_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counting {
    _Atomic int64_t calls, live; /* any thread may allocate */
    int64_t at;                  /* 0: none */
    bool forever;
};

extern struct counting counting;

void *counting_allocate(void *user, size_t size, size_t align);
void counting_release(void *user, void *block);

#endif
