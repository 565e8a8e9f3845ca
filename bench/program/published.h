/* The times that the five reports published: published.def. */
#ifndef SWATHE_BENCH_PUBLISHED_H
#define SWATHE_BENCH_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

enum { PUBLISHED_CHANNELS = 3 };

struct published {
    const char *experiment, *hardware, *variant, *strategy, *filter, *scope;
    bool gpu;
    int32_t block, k; /* 0: none, a chain */
    int64_t width, height;
    double ms;
};

/* Time `index`, from 0; false past the end. */
bool published_at(int index, struct published *published);

#endif
