/* The times that the five reports published: published.def. */
#ifndef SWATHE_BENCH_PUBLISHED_H
#define SWATHE_BENCH_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

struct published {
    const char *experiment, *hardware;
    bool gpu;
    const char *variant, *strategy;
    int32_t block; /* 0: none */
    const char *filter;
    int32_t k; /* 0: a chain */
    int64_t width, height;
    int32_t channels;
    const char *scope;
    double ms;
};

/* NULL past the end. */
const struct published *published_at(int index);

#endif
