/* What the reports call Sequential and OpenMP: plain loops over rows, columns, channels and the
 * mask, as one writes them first. Every speed-up is stated against them. */
#ifndef SWATHE_CLI_BENCH_BASELINE_H
#define SWATHE_CLI_BENCH_BASELINE_H

#include "swathe/swathe.h"

#include <stdbool.h>

enum baseline_border { BASELINE_ZERO, BASELINE_REPLICATE, BASELINE_REFLECT };

/* One filter on whole images of equal size, channels and type, with any strides. A chain is run
 * stage by stage. */
struct baseline {
    const swathe_image *from, *to;
    const double *taps;  /* k x k, row by row, as the mask has them */
    const float *taps32; /* the same rounded to floats: what the loops read */
    int32_t k;
    enum baseline_border border;
    int32_t threads;   /* OpenMP alone; 0: as many as it likes */
    float least, most; /* integers are clamped to them; equal: to the range of the type */
};

void baseline_sequential(const struct baseline *b);
/* False, and nothing done, where it was built without OpenMP. */
bool baseline_openmp(const struct baseline *b);

/* Row `y` of the result: what both repeat for every row. */
void baseline_row(const struct baseline *b, int64_t y);

/* The compiler and the flags that both were compiled with. */
const char *baseline_flags(void);

#endif
