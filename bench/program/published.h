/* The times that the five reports published, in the terms of this benchmark: published.csv. */
#ifndef SWATHE_BENCH_PUBLISHED_H
#define SWATHE_BENCH_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

struct published {
    char experiment[64], hardware[64], variant[64], strategy[32], filter[64], scope[16];
    bool gpu;
    int32_t block, k, channels; /* 0: none */
    int64_t width, height;
    double ms;
};

/* Figure `index`, from 0; false past the end. */
bool published_at(int index, struct published *published);

#endif
