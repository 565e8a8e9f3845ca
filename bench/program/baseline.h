/* The plain loops of the reports, which call them Sequential and OpenMP. Speed-ups are relative to
 * them. */
#ifndef SWATHE_BENCH_BASELINE_H
#define SWATHE_BENCH_BASELINE_H

#include "swathe/swathe.h"

#include <stdbool.h>

enum baseline_border { BASELINE_ZERO, BASELINE_REPLICATE, BASELINE_REFLECT };
enum baseline_form { BASELINE_CHECKED, BASELINE_PRODUCTS, BASELINE_PADDED };
enum { BASELINE_PRODUCTS_EDGE = 31 }; /* size of the largest mask whose products are stored */

/* An entry of baseline.def. */
struct baseline_way {
    const char *name, *summary;
    enum baseline_form form;
    bool parallel;
};

/* An entry by index, NULL past the end; and by name, NULL for other strategies. */
const struct baseline_way *baseline_way_at(int index);
const struct baseline_way *baseline_way(const char *name);

/* One filter on whole images of equal size, channels and type, with any strides. A chain is run
 * stage by stage. */
struct baseline {
    const struct baseline_way *way;
    const swathe_image *from, *to; /* BASELINE_PADDED: `from` is the result of baseline_pad */
    const float *taps32;           /* k x k, row by row, rounded to floats */
    int32_t k;
    enum baseline_border border;
    int32_t threads;   /* OpenMP only; 0: OpenMP's default */
    float least, most; /* integers are clamped to this range; if equal, to that of the type */
};

/* Returns false and does nothing if OpenMP is required but not part of the build. */
bool baseline_run(const struct baseline *b);

/* Copies `b->from` with its border into `padded`, dense planes that are k - 1 wider and higher. */
void baseline_pad(const struct baseline *b, const swathe_image *padded);

/* Compute row `y` of the result, and all of it. */
void baseline_row(const struct baseline *b, int64_t y);
void baseline_planes(const struct baseline *b);
bool baseline_openmp(const struct baseline *b);

/* The compiler and the flags that they were compiled with. */
const char *baseline_flags(void);

#endif
