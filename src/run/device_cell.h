/* A rectangle of the result and what every stage needs for it, as a device holds them. Stages are
 * those of the device, which may be more than the chain's. */
#ifndef SWATHE_RUN_DEVICE_CELL_H
#define SWATHE_RUN_DEVICE_CELL_H

#include "plan/plan.h"

/* The image between two stages, cut to what is needed. */
struct device_cell_image {
    struct interval columns, rows;
    int64_t pitch, plane; /* samples from row to row, from plane to plane */
    int64_t bytes;
    int64_t part; /* bytes of one buffer: all of it, or a plane where planes stand apart */
};

struct device_cell {
    int32_t count;
    struct device_cell_image
        images[ON_GPU_STAGES_MAX + 1]; /* [i]: input of stage i; [count]: result */
    int64_t largest;                   /* bytes of the largest buffer */
    int64_t table_bytes;               /* of all stages */
};

void device_cell_measure(const struct plan *plan, const swathe_rect *rect,
                         struct device_cell *cell);

/* Entries of stage i's tables: the rows or columns in reach of what it makes; 0: it has none. */
int64_t device_cell_table_count(const struct plan *plan, const struct device_cell *cell, int32_t i,
                                enum interval_axis axis);
/* Where each of them lies in the stage's input, -1 where the border's value stands. */
void device_cell_table(const struct plan *plan, const struct device_cell *cell, int32_t i,
                       enum interval_axis axis, int32_t *table);

/* What the kernel of stage i is told of its rectangle. */
void device_cell_job(const struct plan *plan, const struct device_cell *cell, int32_t i,
                     struct gpu_job *job);

#endif
