/* Loops that convert linear light back to samples, by the thresholds of a curve. */
#ifndef SWATHE_ALGORITHM_ENCODE_H
#define SWATHE_ALGORITHM_ENCODE_H

#include "algorithm/algorithm.h"

typedef void map_loop(const void *from, void *to, int64_t count, const void *table);

/* A loop or a kernel, and the table that it reads. */
struct map_way {
    map_loop *loop; /* NULL: by the kernel */
    kernel *kernel; /* NULL: by the definition */
    const void *table;
};

/* The way of a POINT_encode from f32. */
swathe_status encode_make(struct arena *arena, const struct point *point, int isa,
                          struct plan_stage *stage, struct map_way *way);

#endif
